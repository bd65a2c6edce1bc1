//! The tag `Internet` (F68–F72), the ranges that are never public, and the host's virtual addresses (F37–F40).

use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use pullproof_network::set::Addresses;
use pullproof_network::set::ranges::Ranges;
use pullproof_snapshot::facts::internet;

/// Azure DNS, the wire server and the source of load balancer probes (F40).
pub(crate) const PLATFORM: IpAddr = IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16));
/// The instance metadata service (F37).
pub(crate) const METADATA: IpAddr = IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254));

fn prefixes(texts: &[String]) -> Addresses {
    Addresses::of(texts.iter().filter_map(|text| text.parse().ok()))
}

/// IPv4 addresses that can be on the public Internet.
pub(crate) fn public_space() -> &'static Addresses {
    static PUBLIC: LazyLock<Addresses> = LazyLock::new(|| Addresses {
        v4: prefixes(internet::not_public()).v4.complement(),
        v6: Ranges::empty(),
    });
    &PUBLIC
}

/// Public blocks of which recordings disagree whether `Internet` holds them (F69; F70 names the least that is left out).
pub(crate) fn doubtfully_public() -> &'static Addresses {
    static DOUBTFUL: LazyLock<Addresses> = LazyLock::new(|| prefixes(internet::contested()));
    &DOUBTFUL
}

/// RFC 1918 and RFC 6598: the destinations that a firewall does not translate for by default (R167, F135).
pub(crate) fn iana_private() -> &'static Addresses {
    static PRIVATE: LazyLock<Addresses> = LazyLock::new(|| {
        let ranges = [(10, 0, 8), (172, 16, 12), (192, 168, 16), (100, 64, 10)].map(|(a, b, length)| {
            let from = u32::from_be_bytes([a, b, 0, 0]);
            (from, from | (u32::MAX >> length))
        });
        Addresses { v4: Ranges::of(ranges), v6: Ranges::empty() }
    });
    &PRIVATE
}
