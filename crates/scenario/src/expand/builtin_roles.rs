//! The built-in roles that a scenario may name (A302).

pub(crate) struct BuiltinRole {
    pub(crate) name: &'static str,
    pub(crate) id: &'static str,
    pub(crate) actions: &'static [&'static str],
    pub(crate) not_actions: &'static [&'static str],
    pub(crate) data_actions: &'static [&'static str],
}

const ROLES: &[BuiltinRole] = &[
    BuiltinRole {
        name: "AcrPull",
        id: "7f951dda-4ed3-4680-a7ca-43fe172d538d",
        actions: &["Microsoft.ContainerRegistry/registries/pull/read"],
        not_actions: &[],
        data_actions: &[],
    },
    BuiltinRole {
        name: "AcrPush",
        id: "8311e382-0749-4cb8-b61a-304f252e45ec",
        actions: &[
            "Microsoft.ContainerRegistry/registries/pull/read",
            "Microsoft.ContainerRegistry/registries/push/write",
        ],
        not_actions: &[],
        data_actions: &[],
    },
    BuiltinRole {
        name: "AcrDelete",
        id: "c2f4ef07-c644-48eb-af81-4b1b4947fb11",
        actions: &["Microsoft.ContainerRegistry/registries/artifacts/delete"],
        not_actions: &[],
        data_actions: &[],
    },
    BuiltinRole {
        name: "Container Registry Repository Reader",
        id: "b93aa761-3e63-49ed-ac28-beffa264f7ac",
        actions: &[],
        not_actions: &[],
        data_actions: &[
            "Microsoft.ContainerRegistry/registries/repositories/metadata/read",
            "Microsoft.ContainerRegistry/registries/repositories/content/read",
        ],
    },
    BuiltinRole {
        name: "Container Registry Repository Writer",
        id: "2a1e307c-b015-4ebd-883e-5b7698a07328",
        actions: &[],
        not_actions: &[],
        data_actions: &[
            "Microsoft.ContainerRegistry/registries/repositories/metadata/read",
            "Microsoft.ContainerRegistry/registries/repositories/content/read",
            "Microsoft.ContainerRegistry/registries/repositories/metadata/write",
            "Microsoft.ContainerRegistry/registries/repositories/content/write",
        ],
    },
    BuiltinRole {
        name: "Container Registry Repository Catalog Lister",
        id: "bfdb9389-c9a5-478a-bb2f-ba9ca092c3c7",
        actions: &[],
        not_actions: &[],
        data_actions: &["Microsoft.ContainerRegistry/registries/catalog/read"],
    },
    BuiltinRole {
        name: "Reader",
        id: "acdd72a7-3385-48ef-bd42-f606fba81ae7",
        actions: &["*/read"],
        not_actions: &[],
        data_actions: &[],
    },
    BuiltinRole {
        name: "Contributor",
        id: "b24988ac-6180-42a0-ab88-20f7382dd24c",
        actions: &["*"],
        not_actions: &[
            "Microsoft.Authorization/*/Delete",
            "Microsoft.Authorization/*/Write",
            "Microsoft.Authorization/elevateAccess/Action",
        ],
        data_actions: &[],
    },
    BuiltinRole {
        name: "Owner",
        id: "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
        actions: &["*"],
        not_actions: &[],
        data_actions: &[],
    },
    BuiltinRole {
        name: "Network Contributor",
        id: "4d97b98b-1d4f-4787-a291-c67834d212e7",
        actions: &["Microsoft.Network/*"],
        not_actions: &[],
        data_actions: &[],
    },
];

pub(crate) fn by_name(name: &str) -> Option<&'static BuiltinRole> {
    ROLES.iter().find(|role| role.name == name)
}
