//! From tokens to stages and expressions.

use serde_json::Value;

use super::QueryError;
use super::lex::{Token, tokens};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Literal(Value),
    /// A timespan in seconds.
    Span(f64),
    Column(String),
    /// `of.name`, `of['name']`, `of[0]`.
    Member(Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    /// A comparison or arithmetic, by its operator in lower case.
    Binary(String, Box<Expr>, Box<Expr>),
    /// `in`, `in~`, `!in`, `!in~`.
    In {
        of: Box<Expr>,
        list: Vec<Expr>,
        fold: bool,
        negated: bool,
    },
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
}

/// One stage of the pipeline.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    Where(Expr),
    Project(Vec<(String, Expr)>),
    ProjectAway(Vec<String>),
    Extend(Vec<(String, Expr)>),
    /// (key, descending).
    OrderBy(Vec<(Expr, bool)>),
    Limit(usize),
    Top(usize, Expr, bool),
    Count,
    Distinct(Vec<(String, Expr)>),
    /// `count()` by columns: (name of the count, groups).
    CountBy(String, Vec<(String, Expr)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Query {
    pub table: String,
    pub stages: Vec<Stage>,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// Nesting that is followed.
const MAX_DEPTH: usize = 64;

type Parsed<T> = Result<T, QueryError>;

/// The query. Without a table's name at its start it is about `resources`.
pub(super) fn parse(text: &str) -> Parsed<Query> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let mut table = "resources".to_owned();
    match parser.peek() {
        Some(Token::Word(word)) if !is_stage(word) => {
            table.clone_from(word);
            parser.at = 1;
        }
        Some(Token::Word(_)) => {
            // A query may begin with its first stage.
            parser.tokens.insert(0, Token::Sign("|"));
        }
        Some(Token::Sign("|")) => {}
        _ => return parser.wrong("a table"),
    }
    let mut stages = Vec::new();
    while parser.eat("|") {
        stages.push(parser.stage()?);
    }
    parser.eat(";");
    match parser.peek() {
        None => Ok(Query { table, stages }),
        Some(_) => parser.wrong("the end of the stage"),
    }
}

fn is_stage(word: &str) -> bool {
    let stages = [
        "where",
        "project",
        "project-away",
        "extend",
        "order",
        "sort",
        "limit",
        "take",
        "top",
        "count",
        "distinct",
        "summarize",
    ];
    stages.iter().any(|stage| stage.eq_ignore_ascii_case(word))
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at = self.at.saturating_add(1);
        token
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(here)) if *here == sign);
        if found {
            self.at = self.at.saturating_add(1);
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(here)) if here.eq_ignore_ascii_case(word));
        if found {
            self.at = self.at.saturating_add(1);
        }
        found
    }

    fn wrong<T>(&self, expected: &str) -> Parsed<T> {
        let here = match self.peek() {
            Some(Token::Word(word)) => format!("'{word}'"),
            Some(Token::Text(text)) => format!("'{text}'"),
            Some(Token::Sign(sign)) => format!("'{sign}'"),
            Some(Token::Number(number)) => number.to_string(),
            Some(Token::Span(_)) => "a timespan".to_owned(),
            None => "the end of the query".to_owned(),
        };
        Err(QueryError(format!("expected {expected}, found {here}")))
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.wrong(&format!("'{sign}'")) }
    }

    fn stage(&mut self) -> Parsed<Stage> {
        let Some(Token::Word(word)) = self.next() else {
            self.at = self.at.saturating_sub(1);
            return self.wrong("an operator");
        };
        match word.to_ascii_lowercase().as_str() {
            "where" => Ok(Stage::Where(self.or()?)),
            "project" => Ok(Stage::Project(self.named()?)),
            "extend" => Ok(Stage::Extend(self.named()?)),
            "distinct" => Ok(Stage::Distinct(self.named()?)),
            "project-away" => {
                let columns = self.named()?;
                Ok(Stage::ProjectAway(columns.into_iter().map(|(name, _)| name).collect()))
            }
            "order" | "sort" => {
                if !self.eat_word("by") {
                    return self.wrong("'by'");
                }
                let mut keys = vec![self.key()?];
                while self.eat(",") {
                    keys.push(self.key()?);
                }
                Ok(Stage::OrderBy(keys))
            }
            "limit" | "take" => Ok(Stage::Limit(self.number()?)),
            "top" => {
                let n = self.number()?;
                if !self.eat_word("by") {
                    return self.wrong("'by'");
                }
                let (key, descending) = self.key()?;
                Ok(Stage::Top(n, key, descending))
            }
            "count" => Ok(Stage::Count),
            "summarize" => self.summarize(),
            other => Err(QueryError(format!("the operator '{other}' is not supported"))),
        }
    }

    fn summarize(&mut self) -> Parsed<Stage> {
        let mut name = "count_".to_owned();
        if let (Some(Token::Word(word)), Some(Token::Sign("="))) =
            (self.peek().cloned(), self.tokens.get(self.at.saturating_add(1)))
        {
            name = word;
            self.at = self.at.saturating_add(2);
        }
        if !(self.eat_word("count") && self.eat("(") && self.eat(")")) {
            return self.wrong("count()");
        }
        let groups = if self.eat_word("by") { self.named()? } else { Vec::new() };
        Ok(Stage::CountBy(name, groups))
    }

    fn number(&mut self) -> Parsed<usize> {
        match self.next() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of rows")]
            Some(Token::Number(number)) if (0.0..1e9).contains(&number) => Ok(number as usize),
            _ => {
                self.at = self.at.saturating_sub(1);
                self.wrong("a number")
            }
        }
    }

    fn key(&mut self) -> Parsed<(Expr, bool)> {
        let key = self.or()?;
        let descending = !self.eat_word("asc");
        if descending {
            self.eat_word("desc");
        }
        Ok((key, descending))
    }

    /// `name = expression` or expressions that name themselves, by commas.
    fn named(&mut self) -> Parsed<Vec<(String, Expr)>> {
        let mut out = Vec::new();
        loop {
            let named = match (self.peek(), self.tokens.get(self.at.saturating_add(1))) {
                (Some(Token::Word(name)), Some(Token::Sign("="))) => Some(name.clone()),
                _ => None,
            };
            if named.is_some() {
                self.at = self.at.saturating_add(2);
            }
            let expr = self.or()?;
            out.push((named.unwrap_or_else(|| own_name(&expr)), expr));
            if !self.eat(",") {
                return Ok(out);
            }
        }
    }

    fn or(&mut self) -> Parsed<Expr> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH {
            return Err(QueryError("the query is nested too deeply".into()));
        }
        let mut left = self.and()?;
        while self.eat_word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(left)
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut left = self.comparison()?;
        while self.eat_word("and") {
            left = Expr::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        let operator = match self.peek() {
            Some(Token::Sign(sign @ ("==" | "=~" | "!=" | "!~" | "<" | ">" | "<=" | ">="))) => {
                (*sign).to_owned()
            }
            Some(Token::Word(word)) => word.to_ascii_lowercase(),
            _ => return Ok(left),
        };
        match operator.as_str() {
            "in" | "in~" | "!in" | "!in~" => {
                self.at = self.at.saturating_add(1);
                self.expect("(")?;
                let list = self.arguments()?;
                let (fold, negated) = (operator.ends_with('~'), operator.starts_with('!'));
                Ok(Expr::In { of: Box::new(left), list, fold, negated })
            }
            "between" => {
                self.at = self.at.saturating_add(1);
                self.expect("(")?;
                let from = self.sum()?;
                self.expect(".")?;
                self.expect(".")?;
                let to = self.sum()?;
                self.expect(")")?;
                Ok(Expr::Between(Box::new(left), Box::new(from), Box::new(to)))
            }
            "==" | "=~" | "!=" | "!~" | "<" | ">" | "<=" | ">=" | "contains" | "!contains"
            | "contains_cs" | "has" | "!has" | "startswith" | "!startswith" | "endswith" | "!endswith" => {
                self.at = self.at.saturating_add(1);
                let right = self.sum()?;
                Ok(Expr::Binary(operator, Box::new(left), Box::new(right)))
            }
            _ => Ok(left),
        }
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.primary()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Sign(sign @ ("+" | "-"))) => (*sign).to_owned(),
                _ => return Ok(left),
            };
            self.at = self.at.saturating_add(1);
            let right = self.primary()?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut out = Vec::new();
        if self.eat(")") {
            return Ok(out);
        }
        loop {
            out.push(self.or()?);
            if !self.eat(",") {
                self.expect(")")?;
                return Ok(out);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let mut expr = match self.next() {
            Some(Token::Text(text)) => Expr::Literal(Value::from(text)),
            Some(Token::Number(number)) => Expr::Literal(number_value(number)),
            Some(Token::Span(seconds)) => Expr::Span(seconds),
            Some(Token::Sign("(")) => {
                let inner = self.or()?;
                self.expect(")")?;
                inner
            }
            Some(Token::Word(word)) => self.word(word)?,
            _ => {
                self.at = self.at.saturating_sub(1);
                return self.wrong("an expression");
            }
        };
        loop {
            if matches!(self.peek(), Some(Token::Sign(".")))
                && let Some(Token::Word(name)) = self.tokens.get(self.at.saturating_add(1)).cloned()
            {
                self.at = self.at.saturating_add(2);
                expr = Expr::Member(Box::new(expr), Box::new(Expr::Literal(Value::from(name))));
            } else if self.eat("[") {
                let index = self.or()?;
                self.expect("]")?;
                expr = Expr::Member(Box::new(expr), Box::new(index));
            } else {
                return Ok(expr);
            }
        }
    }

    fn word(&mut self, word: String) -> Parsed<Expr> {
        match word.to_ascii_lowercase().as_str() {
            "true" => return Ok(Expr::Literal(Value::Bool(true))),
            "false" => return Ok(Expr::Literal(Value::Bool(false))),
            _ => {}
        }
        if self.eat("(") {
            return Ok(Expr::Call(word.to_ascii_lowercase(), self.arguments()?));
        }
        Ok(Expr::Column(word))
    }
}

fn number_value(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

/// The name that Kusto gives to a column without one: members joined by underscores.
fn own_name(expr: &Expr) -> String {
    match expr {
        Expr::Column(name) => name.clone(),
        Expr::Member(of, name) => match name.as_ref() {
            Expr::Literal(Value::String(name)) => format!("{}_{name}", own_name(of)),
            Expr::Literal(index) => format!("{}_{index}", own_name(of)),
            _ => own_name(of),
        },
        Expr::Call(_, arguments) => arguments.first().map(own_name).unwrap_or_else(|| "Column1".into()),
        _ => "Column1".into(),
    }
}
