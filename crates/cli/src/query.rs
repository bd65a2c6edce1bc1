//! `pullproof query`: one JSON object a line in, one a line out with the same `id`, in order.

use std::fs;
use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use pullproof_checker::{Plain, answer};
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_snapshot::question::{Answer, Line, Question};
use serde_json::{Value, json};

use crate::load::{Inputs, Loaded};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    /// Who answers.
    #[arg(long, value_enum, default_value = "prover")]
    engine: Engine,
    /// One question a line.
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Engine {
    /// Symbolic answers.
    Prover,
    /// The plain evaluator, one value after the other.
    Plain,
}

/// Returns 0 when every line has an answer and 1 when some line is an error.
///
/// # Errors
/// The snapshot, the config or the questions file cannot be used (exit 2).
pub fn run(arguments: &Arguments) -> Result<u8> {
    let Loaded { layered, declared, .. } = arguments.inputs.load()?;
    let questions = fs::read_to_string(&arguments.questions)
        .with_context(|| format!("{}: cannot be read", arguments.questions.display()))?;
    match arguments.engine {
        Engine::Plain => {
            let mut plain = Plain::new(layered, declared);
            plain.strict = plain.declared.audit.strict;
            print(&questions, |question| answer(&plain, question))
        }
        Engine::Prover => {
            let network = Network::read(layered, declared);
            let prover = Prover::new(&network);
            print(&questions, |question| prover.answer(question))
        }
    }
}

fn print(questions: &str, engine: impl Fn(&Question) -> Answer) -> Result<u8> {
    let mut out = BufWriter::new(stdout().lock());
    let mut code = 0;
    for line in questions.lines().filter(|l| !l.trim().is_empty()) {
        let (id, reply) = reply(&engine, line);
        if matches!(reply, Answer::Error { .. }) {
            code = 1;
        }
        let mut shown = serde_json::to_value(&reply)?;
        if let Value::Object(fields) = &mut shown {
            fields.insert("id".into(), id);
        }
        writeln!(out, "{shown}")?;
    }
    out.flush()?;
    Ok(code)
}

fn reply(engine: impl Fn(&Question) -> Answer, line: &str) -> (Value, Answer) {
    match serde_json::from_str::<Line>(line) {
        Ok(line) => (line.id, engine(&line.question)),
        Err(error) => {
            let raw: Value = serde_json::from_str(line).unwrap_or(json!({}));
            let id = raw.get("id").cloned().unwrap_or(Value::Null);
            (id, Answer::error(unreadable(&raw, &error)))
        }
    }
}

/// An `ask` that nobody knows is named; everything else is what the parser says.
fn unreadable(raw: &Value, error: &serde_json::Error) -> String {
    match raw.get("ask").and_then(Value::as_str) {
        Some(ask) if error.to_string().contains("unknown variant") => format!("unsupported question: {ask}"),
        _ => format!("not a question: {error}"),
    }
}
