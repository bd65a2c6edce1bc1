//! `pullproof path`: from a subnet to a host or address, and back.

use std::io::Write;
use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use clap::Args;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_snapshot::question::{Answer, PathAnswer, PathFrom, PathTo, Question, VerdictWord};
use serde_json::Value;

use crate::load::{Inputs, Loaded};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    /// The subnet that the packets start in, by ARM id or name.
    #[arg(long, value_name = "SUBNET")]
    from: String,
    /// Where they go: a host name or an address, with `:port` (443 otherwise).
    #[arg(long, value_name = "HOST|IP[:PORT]")]
    to: String,
    /// `tcp` or `udp`.
    #[arg(long, default_value = "tcp")]
    protocol: String,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

/// Returns 0 when the path is proven, 1 when it is disproven, 4 when it is undetermined.
///
/// # Errors
/// An input or a name cannot be used (exit 2).
pub fn run(arguments: &Arguments) -> Result<u8> {
    let (to, port) = target(&arguments.to)?;
    let Loaded { layered, declared, .. } = arguments.inputs.load()?;
    let network = Network::read(layered, declared);
    let question = Question::Path {
        from: PathFrom { subnet: Some(arguments.from.clone()), address: None },
        to,
        port,
        protocol: arguments.protocol.to_ascii_lowercase(),
    };
    match Prover::new(&network).answer(&question) {
        Answer::Path(answer) => {
            if arguments.json {
                writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&answer)?)?;
            } else {
                print(arguments, &answer)?;
            }
            Ok(match answer.verdict {
                VerdictWord::Proven => 0,
                VerdictWord::Disproven => 1,
                VerdictWord::Undetermined => 4,
            })
        }
        Answer::Error { error } => bail!("{error}"),
        _ => bail!("the question about a path got another answer; please report this"),
    }
}

fn target(text: &str) -> Result<(PathTo, u16)> {
    if text.contains("://") {
        bail!("--to {text}: give host[:port], not a URL");
    }
    let address = |text: &str| text.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    if let Some(ip) = address(text) {
        return Ok((PathTo { address: Some(ip.to_string()), host: None }, 443));
    }
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) => {
            (name, port.parse().with_context(|| format!("--to {text}: `{port}` is not a port"))?)
        }
        None => (text, 443),
    };
    if name.is_empty() {
        bail!("--to {text}: there is no host in it");
    }
    let to = match address(name) {
        Some(ip) => PathTo { address: Some(ip.to_string()), host: None },
        None => PathTo { address: None, host: Some(name.to_owned()) },
    };
    Ok((to, port))
}

fn print(arguments: &Arguments, answer: &PathAnswer) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let word = |verdict: VerdictWord| match verdict {
        VerdictWord::Proven => "proven",
        VerdictWord::Disproven => "disproven",
        VerdictWord::Undetermined => "undetermined",
    };
    writeln!(out, "{}  {} → {}", word(answer.verdict).to_uppercase(), arguments.from, arguments.to)?;
    writeln!(out, "  there     {}", word(answer.forward))?;
    writeln!(out, "  and back  {}", word(answer.back))?;
    for step in &answer.path {
        let text = step["text"].as_str().filter(|t| !t.is_empty());
        let line = text.or(step["device"].as_str()).unwrap_or_default();
        let mark = if step["deciding"] == Value::Bool(true) { "  ◄ decides" } else { "" };
        writeln!(out, "  - {line}{mark}")?;
    }
    for missing in &answer.missing {
        writeln!(out, "  missing   {}", missing.what)?;
        if !missing.remedy.is_empty() {
            writeln!(out, "            {}", missing.remedy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn targets() {
        let ok = |text: &str| target(text).map(|(to, port)| (to.host.or(to.address), port)).ok();
        assert_eq!(ok("reg.contoso.example"), Some((Some("reg.contoso.example".into()), 443)));
        assert_eq!(ok("reg.contoso.example:8443"), Some((Some("reg.contoso.example".into()), 8443)));
        assert_eq!(ok("10.0.0.4:53"), Some((Some("10.0.0.4".into()), 53)));
        assert_eq!(ok("[2001:db8::1]:443"), Some((Some("2001:db8::1".into()), 443)));
        assert_eq!(ok("2001:db8::1"), Some((Some("2001:db8::1".into()), 443)));
        assert!(target(":443").is_err());
        assert!(target("reg:port").is_err());
    }
}
