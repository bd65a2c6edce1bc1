//! Why a plan cannot be used at all. Everything less is said in the overlay.

/// Why a file is no plan that this crate reads.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("not JSON: {0}")]
    Json(serde_json::Error),
    #[error("plan format {0} is not known here; formats 0.1, 0.2 and 1.x are: update pullproof")]
    Version(String),
    #[error(
        "these are the messages of `terraform plan -json`, which hold no values: run `terraform plan -out=tfplan` and give the output of `terraform show -json tfplan`"
    )]
    Messages,
    #[error("this is a state file as Terraform stores it: give the output of `terraform show -json` instead")]
    RawState,
    #[error("this is a saved plan file: give the output of `terraform show -json` on it instead")]
    SavedPlan,
    #[error("not a saved plan (`terraform plan -out=FILE`): {0}")]
    NotSaved(String),
    #[error("neither a Terraform plan or state (`terraform show -json`) nor the output of `what-if -o json`")]
    Form,
}
