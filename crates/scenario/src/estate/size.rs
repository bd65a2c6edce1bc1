//! How many of each.

/// The numbers that a scale stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) virtual_networks: usize,
    pub(crate) clusters: usize,
    pub(crate) registries: usize,
}

impl Size {
    pub(crate) fn new(scale: u32) -> Self {
        let scale = scale.clamp(1, 60) as usize;
        Self {
            virtual_networks: 125 * scale,
            clusters: (500 * scale).div_ceil(16),
            registries: (50 * scale).div_ceil(16),
        }
    }
}

/// Spokes of a hub, at least and at most.
pub(crate) const SPOKES: (u32, u32) = (20, 40);
/// Pools of a cluster.
pub(crate) const POOLS: (u32, u32) = (5, 6);
/// Rules of a cluster's NSG; small ones are more common.
pub(crate) const NSG_RULES: (u32, u32) = (100, 1000);
/// One cluster in so many is broken.
pub(crate) const BROKEN_ONE_IN: usize = 10;
