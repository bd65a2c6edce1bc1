//! `pullproof demo`: a made-up estate, served as Azure on loopback, collected as one would collect Azure, and audited.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use clap::{ArgMatches, Args};
use pullproof_azure::{Auth, Cancel, Cloud, Endpoints, Limits, Principal, Scope, Sources};
use pullproof_emulator::{CONTOSO_CONFIG, Emulator, FaultPlan, contoso};
use pullproof_snapshot::{Declared, Layered, read};

use crate::audit::{Ask, Fails, Gate};
use crate::collect::{progress, run_collector};
use crate::load::Loaded;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    ask: Ask,
}

/// Exit code 0 where it ran: what the estate is made up to show is no failure.
///
/// # Errors
/// There is no place on loopback or in the folder for temporary files.
pub fn run(arguments: &Arguments, matches: &ArgMatches) -> Result<u8> {
    let ask = &arguments.ask;
    let emulator = Emulator::start(contoso()?, FaultPlan::default(), pullproof_emulator::Options::default())?;
    let credentials = emulator.credentials();
    let options = pullproof_azure::Options {
        auth: Auth::ClientSecret,
        principal: Some(Principal {
            tenant: credentials.tenant.clone(),
            client: credentials.client_id.clone(),
            secret: credentials.client_secret.clone().into(),
        }),
        endpoints: Endpoints::new(Cloud::Public, Some(emulator.base_url()), Some(emulator.base_url()))?,
        limits: Limits::default(),
        sources: Sources::Auto,
        effective: false,
        resume: None,
        progress: progress(ask.noise()),
        cancel: Cancel::default(),
    };
    let file = std::env::temp_dir().join(format!("pullproof-demo-{}.ndjson", std::process::id()));
    let collected = run_collector(options, &Scope::Everything, &file, ask.noise());
    let snapshot = collected.and_then(|_| {
        read::read(std::slice::from_ref(&file), read::ReadOptions::default()).map_err(|e| anyhow!(e))
    });
    let _ = std::fs::remove_file(&file);
    let declared = Declared::parse("contoso/pullproof.toml", CONTOSO_CONFIG)?;
    let rules = ask.rules()?;
    let loaded = Loaded::of(Layered::new(Arc::new(snapshot?)), declared, None);
    let mut audited = ask.audit(loaded, &[])?;
    let code = ask.finish(&mut audited, &rules, matches, Gate { category: "demo", fails: Fails::Never })?;
    emulator.stop();
    Ok(code)
}
