//! What the prover keeps of names between questions.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use pullproof_network::model::index::{NicIx, PoolIx, SubnetIx, VnetIx};

use super::index::Index;
use super::reply::Reply;
use super::trail::Trail;
use crate::lookup_answer::RecordType;
use crate::outcome::{Basis, Remark};
use crate::prover::Prover;

type AzureKey = (VnetIx, String, RecordType, Trail);
type TcpKey = (SubnetIx, Option<PoolIx>, Option<NicIx>, IpAddr);

/// Answers of parts that do not depend on who asks.
#[derive(Default)]
pub(crate) struct Memo {
    index: OnceLock<Index>,
    pub all_read: RwLock<HashMap<&'static str, Result<Basis, String>>>,
    pub azure: RwLock<HashMap<AzureKey, Arc<Vec<Reply>>>>,
    /// Resolvers that cannot be reached over TCP.
    pub tcp: RwLock<HashMap<TcpKey, Option<Remark>>>,
}

impl Memo {
    pub fn read<'a, T>(&self, lock: &'a RwLock<T>) -> RwLockReadGuard<'a, T> {
        lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write<'a, T>(&self, lock: &'a RwLock<T>) -> RwLockWriteGuard<'a, T> {
        lock.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Prover<'_> {
    pub(crate) fn name_index(&self) -> &Index {
        self.names.index.get_or_init(|| Index::new(self.network))
    }
}
