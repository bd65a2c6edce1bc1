//! `pullproof permissions`: the least-privilege role for `collect`.

use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use pullproof_azure::permissions::role;

#[derive(Args)]
pub struct Arguments {
    /// Where the role may be assigned: ids of subscriptions, or ARM ids of subscriptions and management groups.
    #[arg(long, required = true, value_name = "SCOPE")]
    scope: Vec<String>,
    /// With the actions that `collect --effective` takes.
    #[arg(long)]
    effective: bool,
}

/// # Errors
/// A scope is neither an ARM id nor the id of a subscription.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let scopes = arguments.scope.iter().map(|text| scope(text)).collect::<Result<Vec<String>>>()?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &role(&scopes, arguments.effective))?;
    writeln!(out)?;
    Ok(0)
}

fn scope(text: &str) -> Result<String> {
    let guid = text.len() == 36 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    match text {
        _ if guid => Ok(format!("/subscriptions/{text}")),
        _ if text.starts_with("/subscriptions/")
            || text.starts_with("/providers/Microsoft.Management/managementGroups/") =>
        {
            Ok(text.to_owned())
        }
        _ => bail!(
            "--scope {text}: neither the id of a subscription nor an ARM id that starts with /subscriptions/ or \
             /providers/Microsoft.Management/managementGroups/"
        ),
    }
}
