//! The objects of Azure, one file a family.
//!
//! What lives here: plain data with the names of ARM, and pointers to where each field stands (`object.place.at(
//! nsg_rule::ACCESS)`). What may not: reading, and any judgement. Begin with [`val`], [`symbol`] and [`index`].

// A module of pointers has the name of its object; some objects have the name of their family.
#![allow(clippy::module_inception)]

pub mod address;
pub mod cluster;
pub mod compute;
pub mod declared;
pub mod dns_resolver;
pub mod dns_zone;
pub mod firewall;
pub mod gateway;
pub mod hub;
pub mod identity;
pub mod index;
pub mod load_balancer;
pub mod network_manager;
pub mod nic;
pub mod nsg;
pub mod object;
pub mod owner;
pub mod pool;
pub mod private_endpoint;
pub mod registry;
pub mod route_table;
pub mod service_endpoint_policy;
pub mod symbol;
pub mod val;
pub mod vnet;
pub mod word;
