//! Calls within a budget, their ledger entries, and fallback models.

use super::*;
use cm_note::instant::Instant;

const PRICE: Price = Price { input: 1000.0, output: 1000.0 };

fn account(budget: SpendingLimits) -> (Arc<BudgetAccount>, Arc<Mutex<String>>) {
    let lines = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&lines);
    let now = || Instant::parse("2026-11-21T12:00:00Z").unwrap();
    let record = move |entry: &SpendingEntry| kept.lock().unwrap().push_str(&entry.line());
    (Arc::new(BudgetAccount::new(budget, SpendingLedger::default(), now, record)), lines)
}

fn script() -> ScriptedModel {
    ScriptedModel::parse("{\"answer\":\"a\",\"again\":true,\"tokens\":[400,100]}").unwrap()
}

#[test]
fn calls_are_made_until_the_budget_is_used_up_and_each_is_recorded() {
    let (account, lines) = account(SpendingLimits { daily_usd: 1.5, ..SpendingLimits::default() });
    let script = script();
    let model = MeteredModel::new(&script, Some(PRICE), account);
    let mut calls = 0;
    let error = loop {
        match model.complete(&request()) {
            Ok(_) => calls += 1,
            Err(error) => break error,
        }
    };
    // Each costs half a dollar.
    assert_eq!(calls, 3);
    assert!(error.to_string().starts_with("1.50 dollars were spent today"), "{error}");
    assert_eq!(script.requests().len(), calls);
    insta::assert_snapshot!(*lines.lock().unwrap(), @r#"
    {"at":"2026-11-21T12:00:00Z","provider":"scripted","model":"script","input":400,"output":100,"cost_usd":0.5}
    {"at":"2026-11-21T12:00:00Z","provider":"scripted","model":"script","input":400,"output":100,"cost_usd":0.5}
    {"at":"2026-11-21T12:00:00Z","provider":"scripted","model":"script","input":400,"output":100,"cost_usd":0.5}
    "#);
}

#[test]
fn what_others_spent_meanwhile_counts() {
    let (account, lines) = account(SpendingLimits { daily_tokens: 1500, ..SpendingLimits::default() });
    let model = MeteredModel::new(script(), None, Arc::clone(&account));
    model.complete(&request()).unwrap();
    let text = lines.lock().unwrap().repeat(3);
    account.refresh(SpendingLedger::parse(&text).ledger);
    assert!(matches!(
        model.complete(&request()),
        Err(LlmError::Budget(BudgetError::Tokens { spent: 1500, .. }))
    ));
}

#[test]
fn a_call_whose_answer_was_lost_counts_as_what_it_may_have_taken() {
    let server =
        Server::start(|nth, _| if nth == 0 { Said::status(200, "<html>") } else { Said::status(401, "") });
    let (model, _) = model(ModelProvider::Compatible, &server);
    let (account, lines) = account(SpendingLimits { daily_tokens: 100_000, ..SpendingLimits::default() });
    let model = MeteredModel::new(model, None, account);
    model.complete(&request()).unwrap_err();
    let read = SpendingLedger::parse(&lines.lock().unwrap());
    let [entry] = read.ledger.entries() else { panic!("one entry") };
    assert!(entry.failed && entry.guessed && entry.output == 300 && entry.input > 0, "{entry:?}");
    assert_eq!((entry.provider.as_str(), entry.model.as_str()), ("compatible", "small"));
    // A refusal costs nothing.
    model.complete(&request()).unwrap_err();
    assert_eq!(lines.lock().unwrap().lines().count(), 1);
}

#[test]
fn the_next_model_answers_where_one_does_not() {
    let fails = || ScriptedModel::parse("{\"error\":\"gone\"}").unwrap();
    let both = FallbackModel::new(
        fails(),
        vec![ScriptedModel::of(["from the second"]), ScriptedModel::of(["from the third"])],
    );
    assert_eq!(both.complete(&request()).unwrap().text, "from the second");
    assert_eq!(both.complete(&request()).unwrap().text, "from the third");
    let error = FallbackModel::new(fails(), vec![fails()]).complete(&request()).unwrap_err();
    insta::assert_snapshot!(error, @"none of the 2 models answered: scripted/script: the answer script reports an error: gone; scripted/script: the answer script reports an error: gone");
    let alone = FallbackModel::new(fails(), Vec::new()).complete(&request()).unwrap_err();
    assert!(matches!(alone, LlmError::Script { .. }), "{alone}");
}

#[test]
fn nobody_stands_in_for_one_that_was_called_off() {
    let variables = std::collections::BTreeMap::new();
    let command = ModelCommand::parse("cat", &variables, &[]).unwrap();
    let called_off =
        open(&ModelSelection::Cli(command, String::new()), retry_policy(0, 0), RetrySleeper::until(|| true));
    let second: BoxedLlm = Box::new(ScriptedModel::of(["a"]));
    let both = FallbackModel::new(called_off.unwrap().unwrap(), vec![second]);
    assert!(matches!(both.complete(&request()), Err(LlmError::Cancelled)));
}
