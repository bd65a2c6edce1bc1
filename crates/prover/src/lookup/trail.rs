//! Where a lookup has been, so that it ends (D176).

use std::net::IpAddr;

use pullproof_network::model::index::VnetIx;

/// Deepest chain of resolvers and restarts; beyond it the lookup is too complex to be followed.
const DEEPEST: usize = 24;

/// Somebody who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// Azure-provided DNS, as seen from a network.
    Azure(VnetIx),
    Server(IpAddr),
}

/// The resolvers asked so far, each with the name that it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Trail(Vec<(Asked, String)>);

pub(crate) enum Ahead {
    Go(Trail),
    /// The same resolver was asked for the same name before; the names of those in the circle.
    Loop(String),
    TooDeep,
}

impl Trail {
    pub fn ask(&self, asked: Asked, name: &str) -> Ahead {
        if let Some(from) = self.0.iter().position(|(a, n)| *a == asked && n == name) {
            let circle: Vec<String> = self.0.iter().skip(from).map(|(a, _)| show(*a)).collect();
            return Ahead::Loop(circle.join(" → "));
        }
        if self.0.len() >= DEEPEST {
            return Ahead::TooDeep;
        }
        let mut next = self.clone();
        next.0.push((asked, name.to_owned()));
        Ahead::Go(next)
    }
}

fn show(asked: Asked) -> String {
    match asked {
        Asked::Azure(_) => "168.63.129.16".into(),
        Asked::Server(address) => address.to_string(),
    }
}
