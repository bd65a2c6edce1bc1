//! Answers that Azure computes (`--effective`): evidence beside the configuration.

use futures::StreamExt;
use pullproof_snapshot::{ArmId, Evidence, Gap};

use super::Run;
use crate::types::{EFFECTIVE, Operation};

impl Run<'_> {
    pub(super) async fn effective(&self) {
        let mut work = Vec::new();
        for operation in EFFECTIVE {
            let all = self.state.borrow().within(operation.on, "/");
            for id in all {
                // Only interfaces of machines have effective routes and rules.
                let asks = operation.on != "Microsoft.Network/networkInterfaces" || self.is_attached(&id);
                if asks {
                    work.push(self.computed(id, operation));
                }
            }
        }
        futures::stream::iter(work).buffer_unordered(self.concurrency.max(1)).collect::<Vec<()>>().await;
    }

    fn is_attached(&self, id: &ArmId) -> bool {
        let text = self.state.borrow_mut().writer.text(id);
        let text = text.ok().flatten().unwrap_or_default();
        memchr::memmem::find(&text, b"\"virtualMachine\"").is_some()
    }

    async fn computed(&self, id: ArmId, operation: &Operation) {
        let path = format!("{}/{}", id.as_written(), operation.path);
        let answer = match self.client.url(&path, &[("api-version", operation.api_version)]) {
            Ok(url) => self.client.post(url, None).await,
            Err(failure) => Err(failure),
        };
        match answer.map(|body| serde_json::from_slice(&body)) {
            Ok(Ok(answer)) => {
                let captured = Some(super::now());
                let evidence =
                    Evidence { resource: id, operation: operation.path.to_owned(), captured, answer };
                let written = self.state.borrow_mut().writer.evidence(&evidence);
                if let Err(error) = written {
                    self.state.borrow_mut().broken.get_or_insert(error);
                }
            }
            outcome => {
                let failure = match outcome {
                    Err(failure) => failure,
                    _ => crate::error::Failure::new("InvalidAnswer", "the answer is no JSON"),
                };
                // No type of resources is missing: only this answer.
                let gap = Gap {
                    resource: Some(id.as_written().to_owned()),
                    types: vec![operation.path.to_owned()],
                    operation: Some(format!("POST {path}")),
                    ..Gap::default()
                };
                self.gap(gap, &failure, operation.action);
            }
        }
    }
}
