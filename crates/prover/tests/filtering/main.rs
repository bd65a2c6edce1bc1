//! Filters, firewalls and admission over small networks. A test that denies has a twin in which one element differs.

mod admin;
mod admission;
#[path = "../estate/mod.rs"]
mod estate;
mod exhaustive;
mod firewall;
mod groups;
mod tags;
mod unknowns;
mod world;
