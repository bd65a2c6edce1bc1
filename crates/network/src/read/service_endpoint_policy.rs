//! Service endpoint policies.

use super::PROVISIONING_STATE;
use super::fields::Fields;
use super::reader::{Reader, Source};
use crate::model::service_endpoint_policy::{
    ServiceEndpointPolicy, ServiceEndpointPolicyDefinition, service_endpoint_policy,
    service_endpoint_policy_definition,
};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = ServiceEndpointPolicy {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        definitions: f.objects(
            service_endpoint_policy::DEFINITIONS,
            "/properties/serviceEndpointPolicyDefinitions/{}",
            |f| ServiceEndpointPolicyDefinition {
                id: f.id("serviceEndpointPolicyDefinitions"),
                place: f.place,
                name: f.name(),
                service: f.text(service_endpoint_policy_definition::SERVICE),
                service_resources: f.texts(service_endpoint_policy_definition::SERVICE_RESOURCES),
            },
        ),
        service_alias: f.text(service_endpoint_policy::SERVICE_ALIAS),
    };
    reader.objects.service_endpoint_policies.push(read);
}
