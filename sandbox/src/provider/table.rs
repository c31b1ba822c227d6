//! The table of calls: every path of the payments API that the sandbox plays.

use http::Method;

use crate::objects::{Object, TestClock};
use crate::provider::billing::{
    balances, invoice_calls, plan_changes, subscription_calls, subscription_creation, voiding,
};
use crate::provider::checkout::{session_creation, sessions};
use crate::provider::money::{disputes, intents, payment_methods, refunds};
use crate::provider::{
    ApiError, Call, Listing, Reply, account, catalog, customer_deletion, customers, endpoints, events, get,
    portal, test_clocks,
};
use crate::state::Tx;

pub async fn route(tx: &mut Tx, call: &Call<'_>) -> Reply {
    match call.method {
        Method::GET => read(tx, call).await,
        Method::POST => Box::pin(write(tx, call)).await,
        Method::DELETE => delete(tx, call).await,
        _ => Err(unknown(call)),
    }
}

async fn read(tx: &mut Tx, call: &Call<'_>) -> Reply {
    match call.path.as_slice() {
        ["account"] => account::retrieve(tx),
        ["balance"] => account::balance(tx),
        ["customers"] => customers::list(tx, call).await,
        ["customers", "search"] => customers::search(tx, call).await,
        ["customers", id] => customers::retrieve(tx, id).await,
        ["customers", id, "payment_methods"] => customers::payment_methods(tx, call, id).await,
        ["customers", id, "balance_transactions"] => balances::list(tx, call, id).await,
        ["products"] => Listing::of("product").by(&["active"]).run(tx, call).await,
        ["products", id] => get(tx, "product", id).await,
        ["prices"] => catalog::list_prices(tx, call).await,
        ["prices", id] => get(tx, "price", id).await,
        ["coupons"] => Listing::of("coupon").run(tx, call).await,
        ["coupons", id] => get(tx, "coupon", id).await,
        ["promotion_codes"] => Listing::of("promotion_code").by(&["active", "code"]).run(tx, call).await,
        ["checkout", "sessions"] => {
            Listing::of("checkout.session").by(&["customer", "status"]).run(tx, call).await
        }
        ["checkout", "sessions", id] => get(tx, "checkout.session", id).await,
        ["subscriptions"] => subscription_calls::list(tx, call).await,
        ["subscriptions", id] => get(tx, "subscription", id).await,
        ["invoices"] => invoice_calls::list(tx, call).await,
        ["invoices", id] => get(tx, "invoice", id).await,
        ["invoice_payments"] => Listing::of("invoice_payment").by(&["invoice"]).run(tx, call).await,
        ["payment_intents"] => Listing::of("payment_intent").by(&["customer"]).run(tx, call).await,
        ["payment_intents", id] => get(tx, "payment_intent", id).await,
        ["payment_methods"] => Listing::of("payment_method").by(&["customer", "type"]).run(tx, call).await,
        ["payment_methods", id] => get(tx, "payment_method", id).await,
        ["charges"] => Listing::of("charge").by(&["customer", "payment_intent"]).run(tx, call).await,
        ["charges", id] => get(tx, "charge", id).await,
        ["refunds"] => Listing::of("refund").by(&["charge", "payment_intent"]).run(tx, call).await,
        ["refunds", id] => get(tx, "refund", id).await,
        ["disputes"] => Listing::of("dispute").by(&["charge", "payment_intent"]).run(tx, call).await,
        ["disputes", id] => get(tx, "dispute", id).await,
        ["events"] => events::list(tx, call).await,
        ["events", id] => events::retrieve(tx, id).await,
        ["test_helpers", "test_clocks"] => Listing::of(TestClock::KIND).run(tx, call).await,
        ["test_helpers", "test_clocks", id] => get(tx, TestClock::KIND, id).await,
        ["webhook_endpoints"] => Listing::of("webhook_endpoint").run(tx, call).await,
        ["webhook_endpoints", id] => get(tx, "webhook_endpoint", id).await,
        _ => Err(unknown(call)),
    }
}

async fn write(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let params = &call.params;
    match call.path.as_slice() {
        ["customers"] => customers::create(tx, params).await,
        ["customers", id] => customers::update(tx, id, params).await,
        ["customers", id, "balance_transactions"] => balances::adjust(tx, id, params).await,
        ["products"] => catalog::create_product(tx, params).await,
        ["products", id] => catalog::update_product(tx, id, params).await,
        ["prices"] => catalog::create_price(tx, params).await,
        ["prices", id] => catalog::update_price(tx, id, params).await,
        ["coupons"] => catalog::create_coupon(tx, params).await,
        ["coupons", id] => catalog::update_coupon(tx, id, params).await,
        ["promotion_codes"] => catalog::create_promotion_code(tx, params).await,
        ["checkout", "sessions"] => session_creation::create(tx, params).await,
        ["checkout", "sessions", id, "expire"] => sessions::expire(tx, id).await,
        ["subscriptions"] => subscription_creation::create(tx, params).await,
        ["subscriptions", id] => Box::pin(subscription_calls::update(tx, id, params)).await,
        ["payment_intents", id] | ["payment_intents", id, "cancel"] => {
            intents::refuse_direct_change(tx, id).await
        }
        ["invoices", "create_preview"] => plan_changes::preview(tx, params).await,
        ["invoices", id] => invoice_calls::update(tx, id, params).await,
        ["invoices", id, "void"] => voiding::void(tx, id, voiding::Intents::Canceled).await,
        ["invoices", id, "pay"] => invoice_calls::pay(tx, id, params).await,
        ["credit_notes"] => balances::credit_note(tx, params).await,
        ["payment_methods"] => payment_methods::create(tx, params).await,
        ["payment_methods", id, "attach"] => payment_methods::attach(tx, id, params).await,
        ["payment_methods", id, "detach"] => payment_methods::detach(tx, id).await,
        ["refunds"] => refunds::create(tx, params).await,
        ["disputes", id] => disputes::update(tx, id, params).await,
        ["billing_portal", "sessions"] => portal::create(tx, params).await,
        ["test_helpers", "test_clocks"] => test_clocks::create(tx, params).await,
        ["test_helpers", "test_clocks", id, "advance"] => test_clocks::advance(tx, id, params).await,
        ["webhook_endpoints"] => endpoints::create(tx, params).await,
        ["webhook_endpoints", id] => endpoints::update(tx, id, params).await,
        _ => Err(unknown(call)),
    }
}

async fn delete(tx: &mut Tx, call: &Call<'_>) -> Reply {
    match call.path.as_slice() {
        ["customers", id] => customer_deletion::delete(tx, id).await,
        ["products", id] => catalog::delete(tx, "product", id).await,
        ["coupons", id] => catalog::delete(tx, "coupon", id).await,
        ["subscriptions", id] => subscription_calls::cancel(tx, id, &call.params).await,
        ["test_helpers", "test_clocks", id] => test_clocks::delete(tx, id).await,
        ["webhook_endpoints", id] => endpoints::delete(tx, id).await,
        _ => Err(unknown(call)),
    }
}

fn unknown(call: &Call<'_>) -> ApiError {
    let path = call.path.join("/");
    let message = format!("Unrecognized request URL ({}: /v1/{path}).", call.method);
    ApiError { status: 404, ..ApiError::state(None, message) }
}
