//! Routes, walks, egress and hubs: one test a fact group, each failure with a twin that differs in one element.

mod egress;
#[path = "../estate/mod.rs"]
mod estate;
mod hubs;
mod routes;
mod sites;
mod walks;
mod world;
