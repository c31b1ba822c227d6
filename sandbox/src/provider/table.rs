//! The table of calls: every path of the payments API that the sandbox plays.

use http::Method;

use crate::objects::{account, balance};
use crate::provider::billing::{
    balances, invoice_payments, invoices, plan_changes, subscription_creation, subscriptions,
};
use crate::provider::checkout::sessions;
use crate::provider::error::ApiError;
use crate::provider::money::{disputes, intents, payment_methods, refunds};
use crate::provider::{Call, Reply, catalog, customers, endpoints, events, listing, portal, test_clocks};
use crate::state::store::Tx;

/// Finds and runs a call.
pub async fn route(tx: &mut Tx, call: &Call<'_>) -> Reply {
    match call.method {
        Method::GET => read(tx, call).await,
        Method::POST => write(tx, call).await,
        Method::DELETE => delete(tx, call).await,
        _ => Err(unknown(call)),
    }
}

async fn read(tx: &mut Tx, call: &Call<'_>) -> Reply {
    match call.path.as_slice() {
        ["account"] => account::retrieve(tx),
        ["balance"] => balance::retrieve(tx),
        ["customers"] => customers::all(tx, call).await,
        ["customers", "search"] => customers::search(tx, call).await,
        ["customers", id] => customers::retrieve(tx, id).await,
        ["customers", id, "payment_methods"] => customers::payment_methods(tx, call, id).await,
        ["customers", id, "balance_transactions"] => balances::all(tx, call, id).await,
        ["products"] => catalog::product_list(tx, call).await,
        ["products", id] => catalog::get(tx, "product", id).await,
        ["prices"] => catalog::price_list(tx, call).await,
        ["prices", id] => catalog::get(tx, "price", id).await,
        ["coupons"] => listing::list(tx, call, "coupon", &[], &[]).await,
        ["coupons", id] => catalog::get(tx, "coupon", id).await,
        ["promotion_codes"] => catalog::promotion_code_list(tx, call).await,
        ["promotion_codes", id] => catalog::get(tx, "promotion_code", id).await,
        ["checkout", "sessions"] => sessions::all(tx, call).await,
        ["checkout", "sessions", id] => catalog::get(tx, "checkout.session", id).await,
        ["checkout", "sessions", id, "line_items"] => sessions::line_items_of(tx, id).await,
        ["subscriptions"] => {
            customers::check_listed(tx, call).await?;
            subscriptions::all(tx, call).await
        }
        ["subscriptions", id] => catalog::get(tx, "subscription", id).await,
        ["invoices"] => {
            customers::check_listed(tx, call).await?;
            invoices::all(tx, call).await
        }
        ["invoices", id] => catalog::get(tx, "invoice", id).await,
        ["invoice_payments"] => invoice_payments::all(tx, call).await,
        ["invoice_payments", id] => catalog::get(tx, "invoice_payment", id).await,
        ["payment_intents"] => listing::list(tx, call, "payment_intent", &["customer"], &[]).await,
        ["payment_intents", id] => catalog::get(tx, "payment_intent", id).await,
        ["payment_methods"] => listing::list(tx, call, "payment_method", &["customer", "type"], &[]).await,
        ["payment_methods", id] => catalog::get(tx, "payment_method", id).await,
        ["charges"] => listing::list(tx, call, "charge", &["customer", "payment_intent"], &[]).await,
        ["charges", id] => catalog::get(tx, "charge", id).await,
        ["refunds"] => listing::list(tx, call, "refund", &["charge", "payment_intent"], &[]).await,
        ["refunds", id] => catalog::get(tx, "refund", id).await,
        ["disputes"] => listing::list(tx, call, "dispute", &["charge", "payment_intent"], &[]).await,
        ["disputes", id] => catalog::get(tx, "dispute", id).await,
        ["events"] => events::all(tx, call).await,
        ["events", id] => events::retrieve(tx, id).await,
        ["test_helpers", "test_clocks"] => test_clocks::all(tx, call).await,
        ["test_helpers", "test_clocks", id] => test_clocks::retrieve(tx, id).await,
        ["webhook_endpoints"] => listing::list(tx, call, "webhook_endpoint", &[], &[]).await,
        ["webhook_endpoints", id] => catalog::get(tx, "webhook_endpoint", id).await,
        _ => Err(unknown(call)),
    }
}

async fn write(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let params = &call.params;
    match call.path.as_slice() {
        ["customers"] => customers::create(tx, params).await,
        ["customers", id] => customers::update(tx, id, params).await,
        ["customers", id, "balance_transactions"] => balances::adjust(tx, id, params).await,
        ["products"] => catalog::product_create(tx, params).await,
        ["products", id] => catalog::product_update(tx, id, params).await,
        ["prices"] => catalog::price_create(tx, params).await,
        ["prices", id] => catalog::price_update(tx, id, params).await,
        ["coupons"] => catalog::coupon_create(tx, params).await,
        ["coupons", id] => catalog::coupon_update(tx, id, params).await,
        ["promotion_codes"] => catalog::promotion_code_create(tx, params).await,
        ["checkout", "sessions"] => sessions::create(tx, call).await,
        ["checkout", "sessions", id] => sessions::update(tx, id, params).await,
        ["checkout", "sessions", id, "expire"] => sessions::expire(tx, id).await,
        ["subscriptions"] => subscription_creation::create(tx, params).await,
        ["subscriptions", id] => subscriptions::update(tx, id, params).await,
        ["payment_intents", id] | ["payment_intents", id, "cancel"] => {
            intents::refuse_direct_change(tx, id).await
        }
        ["invoices", "create_preview"] => plan_changes::preview(tx, params).await,
        ["invoices", id] => invoices::update(tx, id, params).await,
        ["invoices", id, "void"] => invoices::void(tx, id).await,
        ["invoices", id, "pay"] => invoices::pay(tx, id, params).await,
        ["credit_notes"] => balances::note(tx, params).await,
        ["payment_methods"] => payment_methods::create(tx, params).await,
        ["payment_methods", id, "attach"] => intents::attach(tx, id, params).await,
        ["payment_methods", id, "detach"] => intents::detach(tx, id).await,
        ["refunds"] => refunds::create(tx, params).await,
        ["refunds", id] => refunds::update(tx, id, params).await,
        ["disputes", id] => disputes::update(tx, id, params).await,
        ["disputes", id, "close"] => disputes::decide(tx, id, disputes::Verdict::Lost).await,
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
        ["customers", id] => customers::delete(tx, id).await,
        ["products", id] => catalog::delete(tx, "product", id).await,
        ["coupons", id] => catalog::delete(tx, "coupon", id).await,
        ["subscriptions", id] => subscriptions::cancel(tx, id, &call.params).await,
        ["test_helpers", "test_clocks", id] => test_clocks::delete(tx, id).await,
        ["webhook_endpoints", id] => endpoints::delete(tx, id).await,
        _ => Err(unknown(call)),
    }
}

fn unknown(call: &Call<'_>) -> ApiError {
    let path = call.path.join("/");
    let message = format!("Unrecognized request URL ({}: /v1/{path}).", call.method);
    ApiError { status: 404, ..ApiError::invalid(None, None, message) }
}
