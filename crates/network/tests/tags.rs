//! Service tags: three-valued (F73–F87).

use std::collections::BTreeMap;

use pullproof_network::Tags;
use pullproof_network::set::{Addresses, TagMatch, TagTarget, Tri};
use pullproof_snapshot::TagList;

fn list(cloud: &str, change: &str, tags: &[(&str, &[&str])]) -> TagList {
    let tags = tags.iter().map(|(name, prefixes)| {
        ((*name).to_owned(), prefixes.iter().map(|prefix| (*prefix).to_owned()).collect())
    });
    TagList {
        file: format!("{cloud}-{change}.json"),
        cloud: cloud.to_owned(),
        change_number: change.to_owned(),
        tags: tags.collect::<BTreeMap<_, _>>(),
    }
}

fn silent(_: &str, _: &str) -> Option<Tri> {
    None
}

fn covers(tags: &Tags, tag: &str, addresses: &str) -> Tri {
    let addresses: Addresses = addresses.parse().unwrap();
    tags.tag_covers(tag, &TagTarget::Addresses(&addresses))
}

#[test]
fn an_unknown_tag_is_not_empty() {
    let tags = Tags::new(&[], silent);
    assert_eq!(covers(&tags, "AzureContainerRegistry", "203.0.113.10"), Tri::Unknown);
    // F83: whatever the list, no tag holds private addresses.
    assert_eq!(covers(&tags, "AzureContainerRegistry", "10.0.4.5"), Tri::No);
    assert_eq!(covers(&tags, "AzureContainerRegistry", "10.0.0.0/7"), Tri::Unknown);
    // The special words are not tags: they hold what their reader says.
    assert_eq!(covers(&tags, "virtualNETWORK", "10.0.4.5"), Tri::Unknown);
    let listed = Tags::new(&[list("Public", "1", &[("Storage", &["203.0.113.0/24"])])], silent);
    assert_eq!(covers(&listed, "AzureContainerRegistry", "203.0.113.10"), Tri::Unknown);
}

#[test]
fn a_list_decides_by_name_in_any_letter_case() {
    // F76, F78: the highest number of the public cloud, not the longest text.
    let tags = Tags::new(
        &[
            list("Public", "9", &[("AzureContainerRegistry.WestEurope", &["198.51.100.0/24"])]),
            list(
                "Public",
                "10",
                &[("AzureContainerRegistry.WestEurope", &["203.0.113.0/25", "2001:db8::/48"])],
            ),
            list("China", "99", &[("AzureContainerRegistry.WestEurope", &["192.0.2.0/24"])]),
        ],
        silent,
    );
    let tag = "azurecontainerregistry.westeurope";
    assert_eq!(covers(&tags, tag, "203.0.113.10"), Tri::Yes);
    assert_eq!(covers(&tags, tag, "203.0.113.200"), Tri::No);
    assert_eq!(covers(&tags, tag, "203.0.113.0/24"), Tri::Unknown);
    assert_eq!(covers(&tags, tag, "198.51.100.1"), Tri::No);
    assert_eq!(tags.source.as_ref().map(|(_, change)| change.as_str()), Some("10"));
}

#[test]
fn hosts_are_inside_their_documented_tag() {
    fn table(outer: &str, inner: &str) -> Option<Tri> {
        (outer == "AzureCloud" && inner.starts_with("AzureContainerRegistry")).then_some(Tri::Yes)
    }
    let tags = Tags::new(&[], table);
    let host = |tag: &str, inner| tags.tag_covers(tag, &TagTarget::PublicHostOf(inner));
    assert_eq!(host("AzureContainerRegistry", "AzureContainerRegistry"), Tri::Yes);
    // F82: the region lies in the whole, the whole does not lie in the region.
    assert_eq!(host("AzureContainerRegistry", "AzureContainerRegistry.WestEurope"), Tri::Yes);
    assert_eq!(host("AzureContainerRegistry.WestEurope", "AzureContainerRegistry"), Tri::Unknown);
    assert_eq!(host("AzureCloud", "AzureContainerRegistry.WestEurope"), Tri::Yes);
    assert_eq!(host("Storage", "AzureContainerRegistry"), Tri::Unknown);
    let listed = [list(
        "Public",
        "1",
        &[("A", &["203.0.113.0/24"]), ("B", &["203.0.113.0/25"]), ("C", &["192.0.2.0/24"])],
    )];
    let tags = Tags::new(&listed, silent);
    let host = |tag: &str, inner| tags.tag_covers(tag, &TagTarget::PublicHostOf(inner));
    assert_eq!([host("A", "B"), host("B", "A"), host("C", "A")], [Tri::Yes, Tri::Unknown, Tri::No]);
}
