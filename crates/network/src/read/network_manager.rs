//! Network managers: presence.

use super::PROVISIONING_STATE;
use super::fields::Fields;
use super::reader::{Reader, Source};
use crate::model::network_manager::{ManagerAccess, ManagerConfiguration, NetworkManager, network_manager};
use crate::model::val::List;

/// The collections of configurations, with what each is for.
pub(crate) const CONFIGURATIONS: [(&str, ManagerAccess); 3] = [
    ("securityAdminConfigurations", ManagerAccess::SecurityAdmin),
    ("connectivityConfigurations", ManagerAccess::Connectivity),
    ("routingConfigurations", ManagerAccess::Routing),
];

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let mut configurations = List::empty();
    for (collection, kind) in CONFIGURATIONS {
        let (children, open) = reader.children(source, collection, "");
        configurations.open = configurations.open.or(open);
        for child in children {
            let configuration = ManagerConfiguration { id: child.id, place: child.place, kind: kind.clone() };
            configurations.items.push(configuration);
        }
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let mut scopes = f.texts(network_manager::SUBSCRIPTIONS);
    let groups = f.texts(network_manager::MANAGEMENT_GROUPS);
    scopes.items.extend(groups.items);
    if let Some(symbol) = groups.open {
        f.open(&mut scopes, symbol, network_manager::MANAGEMENT_GROUPS);
    }
    let read = NetworkManager {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        scopes,
        accesses: f.words(network_manager::ACCESSES),
        configurations,
    };
    reader.objects.network_managers.push(read);
}
