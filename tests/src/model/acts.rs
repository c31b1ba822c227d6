//! Actions of an account's owner, and events of their payments.

use super::{
    Account, Change, DAY, Dispute, GUARANTEE_DAYS, LEAST_BOLETO, Method, Next, Offer, Payment, Refused,
    Subscription, VOUCHER_DAYS, Waiting, covers, end_of_day, settled, share,
};

impl Account {
    pub fn may_buy(&self, now: i64) -> Result<(), Refused> {
        let bars = |own: &Subscription| {
            let waits_for_payer = own.until <= now && (own.paid_by_boleto || own.owed.is_some());
            self.has_access(own, now) && !waits_for_payer
        };
        if self.running.as_ref().is_some_and(bars) { Err("ALREADY_SUBSCRIBED") } else { Ok(()) }
    }

    /// Opens a checkout, which drops a debt of an earlier subscription that no invoice charged.
    pub fn opens_checkout(&mut self) {
        self.balance = self.balance.min(0);
    }

    /// A purchase that is paid at once, from `now` on.
    pub fn buys(&mut self, offer: Offer, first_price: i64, method: Method, now: i64) {
        let (due, _) = self.settle(first_price);
        self.opens(offer, method, now, (first_price, due), now);
    }

    /// The kept purchase of two simultaneous ones. Either of them may have used the credit.
    pub fn buys_beside(&mut self, offer: Offer, due: i64, now: i64) {
        self.balance += offer.price() - due;
        self.opens(offer, Method::Card, now, (offer.price(), due), now);
    }

    /// The refunded purchase of two simultaneous ones: money is returned as money, credit as
    /// credit.
    pub fn bought_twice(&mut self, total: i64, due: i64, now: i64) {
        self.subscriptions += 1;
        let (subscription, dispute) = (self.subscriptions, Dispute::None);
        let (by_boleto, by_change) = (false, false);
        let back = due;
        self.payments.push(Payment {
            subscription,
            by_change,
            total,
            due,
            back,
            by_boleto,
            dispute,
            until: now,
        });
        self.back_by_card += due;
    }

    /// Whether a boleto is offered: the rest after credit may be below the minimum.
    pub fn may_ask_for_boleto(&self, first_price: i64) -> bool {
        settled(first_price, self.balance).0 >= LEAST_BOLETO
    }

    pub fn asks_for_boleto(&mut self, key: &str, offer: Offer, first_price: i64, now: i64) {
        let (due, used) = self.settle(first_price);
        let due_at = end_of_day(now + VOUCHER_DAYS * DAY);
        let (key, total) = (key.to_owned(), first_price);
        self.waiting.push(Waiting { key, offer, issued: now, due_at, total, due, used });
    }

    /// The key of the oldest pending first boleto.
    pub fn waiting_boleto(&self) -> Option<&str> {
        self.waiting.first().map(|waiting| waiting.key.as_str())
    }

    /// Pays a first boleto. Its period began when it was issued.
    pub fn pays_first_boleto(&mut self, key: &str, now: i64) {
        let at = self.waiting.iter().position(|waiting| waiting.key == key).expect("a boleto that waits");
        let paid = self.waiting.remove(at);
        self.opens(paid.offer, Method::Boleto, paid.issued, (paid.total, paid.due), now);
    }

    /// Whether a boleto of a renewal is pending.
    pub fn owes_boleto(&self) -> bool {
        let owed = self.running.as_ref().and_then(|own| own.owed.as_ref());
        owed.is_some_and(|owed| matches!(owed.next, Next::Expiry(_)))
    }

    pub fn pays_renewal_boleto(&mut self) {
        self.pay_renewal(true);
    }

    fn opens(&mut self, offer: Offer, method: Method, from: i64, (total, due): (i64, i64), paid_at: i64) {
        self.ends();
        for waiting in std::mem::take(&mut self.waiting) {
            self.voids(waiting.used);
        }
        self.subscriptions += 1;
        self.first_paid_at.get_or_insert(paid_at);
        let (until, by_boleto) = (from + offer.length(), method == Method::Boleto);
        self.running = Some(Subscription {
            id: self.subscriptions,
            offer,
            method,
            paid_by_boleto: by_boleto,
            from,
            until,
            debited: (total, from),
            cancels: false,
            owed: None,
        });
        self.paid(total, due, by_boleto, until);
    }

    pub(super) fn paid(&mut self, total: i64, due: i64, by_boleto: bool, until: i64) {
        let subscription = self.running.as_ref().expect("it runs").id;
        let by_boleto = by_boleto && due > 0;
        self.payments.push(Payment {
            subscription,
            by_change: false,
            total,
            due,
            back: 0,
            by_boleto,
            dispute: Dispute::None,
            until,
        });
    }

    /// Ends the subscription and voids its open invoice.
    pub(super) fn ends(&mut self) {
        let Some(mut own) = self.running.take() else { return };
        if let Some(owed) = own.owed.take() {
            self.voids(owed.used);
        }
        self.over.push(own);
    }

    /// Sets another card, which is charged at once for an open renewal.
    pub fn gives_card(&mut self, method: Method, now: i64) {
        let Some(own) = &mut self.running else { return };
        own.method = method;
        if own.owed.is_some() {
            self.attempts(now);
        }
    }

    /// The amounts of a plan change at an instant.
    pub fn change(&self, to: Offer, at: i64) -> Result<Change, Refused> {
        let own = self.running.as_ref().filter(|own| at < own.until && self.has_access(own, at));
        let own = own.ok_or("NO_SUBSCRIPTION")?;
        if own.offer == to {
            return Err("INVALID_ARGUMENT");
        }
        let (debited, since) = own.debited;
        let unused = -share(debited, own.until - at, own.until - since);
        let goes_on = own.offer.interval == to.interval;
        let charged =
            if goes_on { share(to.price(), own.until - at, own.until - own.from) } else { to.price() };
        let until = if goes_on { own.until } else { at + to.length() };
        let (due, balance) = settled(unused + charged, self.balance);
        Ok(Change { unused, charged, due, balance, until })
    }

    /// Whether the subscription is cancelled and a change would not withdraw the cancellation.
    pub fn ends_with_its_period(&self, to: Offer) -> bool {
        self.running.as_ref().is_some_and(|own| own.cancels && own.offer.interval == to.interval)
    }

    /// Whether the payment method allows the change.
    pub fn pays(&self, change: &Change) -> Result<(), Refused> {
        match self.running.as_ref().expect("it runs").method {
            _ if change.due == 0 => Ok(()),
            Method::Card => Ok(()),
            Method::BadCard => Err("PAYMENT_DECLINED"),
            Method::Boleto => Err("CARD_REQUIRED"),
        }
    }

    /// Applies a change as it was previewed at one instant and confirmed at another. A new period
    /// begins at the confirmation.
    pub fn changes(&mut self, to: Offer, shown_at: i64, done_at: i64) {
        let change = self.change(to, shown_at).expect("it was shown");
        let own = self.running.as_mut().expect("it runs");
        own.debited = (change.charged, shown_at);
        if own.offer.interval != to.interval {
            (own.from, own.until, own.cancels) = (done_at, done_at + to.length(), false);
            own.debited = (change.charged, done_at);
        }
        own.offer = to;
        own.paid_by_boleto &= change.due == 0;
        let until = own.until;
        self.balance = change.balance;
        self.paid(change.unused + change.charged, change.due, false, until);
        self.payments.last_mut().expect("it was paid").by_change = true;
    }

    pub fn cancels(&mut self, now: i64) -> Result<(), Refused> {
        let own = self.running.as_mut().ok_or("NO_SUBSCRIPTION")?;
        if own.until <= now {
            self.ends();
        } else {
            own.cancels = true;
        }
        Ok(())
    }

    pub fn resumes(&mut self) -> Result<(), Refused> {
        self.running.as_mut().ok_or("NO_SUBSCRIPTION")?.cancels = false;
        Ok(())
    }

    /// The refund under the guarantee, and whether it is by Pix. A repeated request returns the
    /// same.
    pub fn request_refund(&mut self, now: i64) -> Result<(i64, bool), Refused> {
        let first_paid_at = self.first_paid_at.unwrap_or_default();
        let holds = now <= end_of_day(first_paid_at + GUARANTEE_DAYS * DAY);
        let Some(own) = self.running.as_ref() else { return self.refunded.ok_or("NO_SUBSCRIPTION") };
        let id = own.id;
        let is_whole = self.covering(own).all(|paid| paid.dispute != Dispute::Open);
        let is_first = self.payments.first().is_some_and(|paid| paid.subscription == id);
        let of_first = |paid: &&Payment| paid.subscription == id;
        let kept: i64 = self.payments.iter().filter(of_first).map(|paid| paid.due - paid.back).sum();
        if !(holds && is_whole && is_first && kept > 0) {
            return Err("REFUND_WINDOW_CLOSED");
        }
        let before = self.back_by_pix;
        for paid in self.payments.iter_mut().filter(|paid| paid.subscription == id) {
            let back = if paid.by_boleto { &mut self.back_by_pix } else { &mut self.back_by_card };
            *back += paid.due - paid.back;
            paid.back = paid.due;
        }
        let by_pix = self.back_by_pix > before;
        self.ends();
        self.credit_ends(id);
        self.refunded = Some((kept, by_pix));
        Ok((kept, by_pix))
    }

    /// Index of the newest payment that the dashboard can refund.
    pub fn refundable(&self) -> Option<usize> {
        let stands = |dispute| matches!(dispute, Dispute::None | Dispute::Won);
        self.payments.iter().rposition(|paid| !paid.by_boleto && paid.back < paid.due && stands(paid.dispute))
    }

    /// Index of the newest payment that can be disputed.
    pub fn disputable(&self) -> Option<usize> {
        self.payments
            .iter()
            .rposition(|paid| !paid.by_boleto && paid.back < paid.due && paid.dispute == Dispute::None)
    }

    /// Index of the payment whose dispute is open.
    pub fn disputed(&self) -> Option<usize> {
        self.payments.iter().rposition(|paid| paid.dispute == Dispute::Open)
    }

    /// Refunds a card payment from the dashboard.
    pub fn refund(&mut self, at: usize, centavos: i64) {
        self.back_by_card += centavos;
        self.return_money(at, centavos);
    }

    /// Returns money. A subscription without a paid period ends, and so does credit made from that
    /// money.
    fn return_money(&mut self, at: usize, centavos: i64) {
        self.payments[at].back += centavos;
        let paid = &self.payments[at];
        let (id, stands) = (paid.subscription, paid.back < paid.due || self.is_given_difference(at));
        let of_last_period = |own: &&Subscription| own.id == id && covers(paid, own);
        if stands || !self.running.iter().chain(&self.over).any(|own| of_last_period(&own)) {
            return;
        }
        if self.running.as_ref().is_some_and(|own| own.id == id) {
            self.ends();
        }
        self.credit_ends(id);
    }

    /// Whether a payment charged the price difference of a more expensive plan and was not a lost
    /// dispute: the period stays paid without this payment.
    fn is_given_difference(&self, at: usize) -> bool {
        let paid = &self.payments[at];
        let same = |other: &Payment| other.subscription == paid.subscription && other.until == paid.until;
        paid.by_change && paid.dispute != Dispute::Lost && self.payments[..at].iter().any(same)
    }

    /// Removes credit that plan changes made from money that was refunded.
    fn credit_ends(&mut self, id: usize) {
        let of_it = self.payments.iter().filter(|paid| paid.subscription == id);
        let since_back = of_it.skip_while(|paid| paid.due == 0 || paid.back < paid.due);
        let made: i64 = since_back.filter(|paid| paid.by_change).map(|paid| (-paid.total).max(0)).sum();
        self.balance += made.min(-self.balance).max(0);
    }

    pub fn open_dispute(&mut self, at: usize) {
        self.payments[at].dispute = Dispute::Open;
    }

    pub fn decide_dispute(&mut self, at: usize, won: bool) {
        self.payments[at].dispute = if won { Dispute::Won } else { Dispute::Lost };
        if !won {
            self.return_money(at, self.payments[at].due - self.payments[at].back);
        }
    }

    pub(super) fn covering<'a>(&'a self, own: &'a Subscription) -> impl Iterator<Item = &'a Payment> {
        self.payments.iter().filter(move |paid| covers(paid, own))
    }
}
