//! Events by time: renewals, retries, boletos that expire.

use super::{
    Account, DAY, DRAFT, LEAST_BOLETO, Method, NEXT_VOUCHER, Next, Owed, RETRIES, VOUCHER_DAYS, VOUCHERS,
    end_of_day,
};

impl Account {
    /// Applies all events up to an instant, in order.
    pub fn passes(&mut self, until: i64) {
        while let Some(at) = self.next_moment().filter(|at| *at <= until) {
            self.happens(at);
        }
    }

    fn next_moment(&self) -> Option<i64> {
        let own = self.running.as_ref().map(|own| match &own.owed {
            None if own.cancels => own.until,
            None => own.until + DRAFT,
            Some(Owed { next: Next::Attempt(at) | Next::Expiry(at), .. }) => *at,
        });
        own.into_iter().chain(self.waiting.iter().map(|waiting| waiting.due_at + 1)).min()
    }

    fn happens(&mut self, at: i64) {
        if let Some(place) = self.waiting.iter().position(|waiting| waiting.due_at < at) {
            let lapsed = self.waiting.remove(place);
            return self.voids(lapsed.used);
        }
        let own = self.running.as_ref().expect("something of it is due");
        match &own.owed {
            None if own.cancels => self.ends(),
            None => self.renews(at),
            Some(Owed { next: Next::Attempt(_), .. }) => self.attempts(at),
            Some(Owed { next: Next::Expiry(_), .. }) => self.voucher_expires(at),
        }
    }

    /// Finalizes the invoice of the next period.
    fn renews(&mut self, at: i64) {
        let total = self.running.as_ref().expect("it runs").offer.price();
        let (asked, used) = self.settle(total);
        let own = self.running.as_mut().expect("it runs");
        // Below the minimum of a boleto, so the amount moves to the next invoice.
        let waits = own.method == Method::Boleto && asked < LEAST_BOLETO;
        let due = if waits { 0 } else { asked };
        own.owed = Some(Owed { total, due, used, attempts: 0, first_due: None, next: Next::Attempt(at) });
        if waits {
            self.balance += asked;
        }
        if due == 0 { self.pay_renewal(false) } else { self.attempts(at) }
    }

    pub(super) fn attempts(&mut self, at: i64) {
        let own = self.running.as_mut().expect("it runs");
        let owed = own.owed.as_mut().expect("it is owed");
        match own.method {
            Method::Card => self.pay_renewal(false),
            Method::BadCard => {
                owed.first_due = None;
                match RETRIES.get(owed.attempts) {
                    Some(wait) => owed.next = Next::Attempt(at + wait),
                    None => return self.ends(),
                }
                owed.attempts += 1;
            }
            Method::Boleto => {
                let due_at = end_of_day(at + VOUCHER_DAYS * DAY);
                owed.first_due.get_or_insert(due_at);
                owed.next = Next::Expiry(due_at + 1);
            }
        }
    }

    fn voucher_expires(&mut self, at: i64) {
        let owed = self.running.as_mut().and_then(|own| own.owed.as_mut()).expect("it is owed");
        owed.attempts += 1;
        owed.next = Next::Attempt(at + NEXT_VOUCHER);
        if owed.attempts == VOUCHERS {
            self.ends();
        }
    }

    pub(super) fn pay_renewal(&mut self, by_boleto: bool) {
        let own = self.running.as_mut().expect("it runs");
        let owed = own.owed.take().expect("it was owed");
        (own.from, own.until) = (own.until, own.until + own.offer.length());
        own.debited = (owed.total, own.from);
        if owed.due > 0 {
            own.paid_by_boleto = by_boleto;
        }
        let until = own.until;
        self.paid(owed.total, owed.due, by_boleto, until);
    }
}
