//! Layers that no registry of the customer serves (A183).

use pullproof_network::model::index::PoolIx;
use pullproof_network::model::pool::OsType;

use crate::missing::{Ends, evidence};
use crate::outcome::Missing;
use crate::prover::Prover;

impl Prover<'_> {
    /// What keeps the set of hosts open that a pull by this pool touches: images of Windows may have base layers that
    /// nodes fetch from MCR instead of the image's own registry (A183). `None` for pools of another system.
    pub fn foreign_layers(&self, pool: PoolIx) -> Option<Missing> {
        let pool = &self.network.pools[pool];
        let windows = pool.os_type.is(&Some(OsType::Windows));
        windows.then(|| {
            evidence(
                format!("whether images for Windows pool {} have foreign layers", pool.name),
                "base layers of older Windows images are fetched from MCR, not from the image's own registry (A183)",
                "push the images with their base layers, and audit the pool against MCR (preset \"mcr\") where that is not sure",
            )
            .holds_if("all layers are in the registry")
            .breaks_if("a layer is in MCR, and the nodes cannot reach it")
        })
    }
}
