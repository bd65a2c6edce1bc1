//! Names, registries, trust and identity, over small networks of their own. Each test that fails a pull has a twin in
//! which exactly the deciding element differs.

mod azure_dns;
mod identity;
mod registry;
mod resolvers;
mod rules;
mod trust;
mod world;
