//! Route tables.

use super::PROVISIONING_STATE;
use super::fields::Fields;
use super::reader::{Reader, Source};
use super::terms::term;
use crate::model::route_table::{Route, RouteTable, route, route_table};
use crate::model::val::List;

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let (children, open) = reader.children(source, "routes", route_table::ROUTES);
    let mut routes = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let prefix = f.scalar(route::PREFIX, "a prefix or service tag", |value| term(value.as_str()?));
        let next_hop_type = f.word(route::NEXT_HOP_TYPE);
        routes.items.push(Route {
            place: f.place,
            provisioning_state: f.word(PROVISIONING_STATE),
            prefix: f.required(route::PREFIX, prefix),
            next_hop_type: f.required(route::NEXT_HOP_TYPE, next_hop_type),
            next_hop: f.address(route::NEXT_HOP),
            id: child.id,
            name: child.name,
        });
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = RouteTable {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        // R243.
        disable_bgp_route_propagation: f
            .boolean(route_table::DISABLE_BGP_ROUTE_PROPAGATION)
            .or_default(false),
        routes,
    };
    reader.objects.route_tables.push(read);
}
