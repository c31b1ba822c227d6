//! Slots for expensive work, with a bounded, fair queue: a free slot goes to the next network in
//! turn, and within it to the next client, however many callers one of them has.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::client_network::network_of;

/// A queue for a number of slots.
#[derive(Debug, Clone)]
pub(crate) struct FairQueue {
    state: Arc<Mutex<State>>,
    most_waiting: usize,
    most_per_client: usize,
}

/// A slot, until it is dropped.
#[derive(Debug)]
pub(crate) struct Slot(FairQueue);

type Callers = VecDeque<oneshot::Sender<Slot>>;

#[derive(Debug)]
struct State {
    /// Free slots. A caller waits only while this is 0.
    free: usize,
    /// Waiting callers by network and client.
    waiting: Turns<Turns<Callers>>,
}

/// Queues that are served in turn.
#[derive(Debug)]
struct Turns<Q> {
    queues: HashMap<String, Q>,
    order: VecDeque<String>,
}

trait Queue {
    fn callers(&self) -> usize;
    fn take_next(&mut self) -> Option<oneshot::Sender<Slot>>;
    /// Rejects the last caller of the longest queue.
    fn drop_last(&mut self);
}

impl Queue for Callers {
    fn callers(&self) -> usize {
        self.len()
    }

    fn take_next(&mut self) -> Option<oneshot::Sender<Slot>> {
        self.pop_front()
    }

    fn drop_last(&mut self) {
        self.pop_back();
    }
}

impl<Q> Default for Turns<Q> {
    fn default() -> Self {
        Self { queues: HashMap::new(), order: VecDeque::new() }
    }
}

impl<Q: Queue + Default> Turns<Q> {
    fn callers_of(&self, name: &str) -> usize {
        self.queues.get(name).map_or(0, Q::callers)
    }

    fn queue(&mut self, name: &str) -> &mut Q {
        if !self.queues.contains_key(name) {
            self.order.push_back(name.to_owned());
        }
        self.queues.entry(name.to_owned()).or_default()
    }

    fn longest(&mut self) -> Option<&mut Q> {
        self.queues.values_mut().max_by_key(|queue| queue.callers())
    }
}

impl<Q: Queue + Default> Queue for Turns<Q> {
    fn callers(&self) -> usize {
        self.queues.values().map(Q::callers).sum()
    }

    fn take_next(&mut self) -> Option<oneshot::Sender<Slot>> {
        while let Some(name) = self.order.pop_front() {
            // The last caller of a queue may have been rejected.
            let Some(mut queue) = self.queues.remove(&name) else { continue };
            let next = queue.take_next();
            if queue.callers() > 0 {
                self.order.push_back(name.clone());
                self.queues.insert(name, queue);
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }

    fn drop_last(&mut self) {
        if let Some(queue) = self.longest() {
            queue.drop_last();
        }
    }
}

impl FairQueue {
    /// Allows `slots` at once, `most_waiting` callers in the queue and `most_per_client` of one
    /// client.
    pub fn new(slots: usize, most_waiting: usize, most_per_client: usize) -> Self {
        let state = State { free: slots.max(1), waiting: Turns::default() };
        Self { state: Arc::new(Mutex::new(state)), most_waiting, most_per_client }
    }

    /// Waits for a slot; `None` if the queue is full or another client displaced this caller.
    pub async fn slot(&self, client: &str) -> Option<Slot> {
        let turn = {
            let mut state = self.state.lock();
            if state.free > 0 {
                state.free -= 1;
                drop(state);
                return Some(Slot(self.clone()));
            }
            if state.waiting_of(client) >= self.most_per_client {
                return None;
            }
            if state.waiting.callers() >= self.most_waiting && !state.make_room(client) {
                return None;
            }
            state.enqueue(client)
        };
        turn.await.ok()
    }

    /// Callers of one client that wait for a slot.
    pub fn waiting_of(&self, client: &str) -> usize {
        self.state.lock().waiting_of(client)
    }

    /// Callers that wait for a slot.
    pub fn waiting(&self) -> usize {
        self.state.lock().waiting.callers()
    }
}

impl State {
    fn waiting_of(&self, client: &str) -> usize {
        self.waiting.queues.get(network_of(client)).map_or(0, |network| network.callers_of(client))
    }

    fn enqueue(&mut self, client: &str) -> oneshot::Receiver<Slot> {
        let (sender, turn) = oneshot::channel();
        self.waiting.queue(network_of(client)).queue(client).push_back(sender);
        turn
    }

    /// Rejects the last caller of the network with the most callers if `client`'s network has
    /// fewer; otherwise that of the client with the most callers in the same network.
    fn make_room(&mut self, client: &str) -> bool {
        let (network, own) = (network_of(client), self.waiting_of(client));
        let of_network = self.waiting.callers_of(network);
        if let Some(longest) = self.waiting.longest()
            && longest.callers() > of_network + 1
        {
            longest.drop_last();
            return true;
        }
        let Some(network) = self.waiting.queues.get_mut(network) else { return false };
        let is_longer = network.longest().is_some_and(|callers| callers.len() > own + 1);
        if is_longer {
            network.drop_last();
        }
        is_longer
    }

    /// The next caller; without one the slot becomes free.
    fn next(&mut self) -> Option<oneshot::Sender<Slot>> {
        let next = self.waiting.take_next();
        if next.is_none() {
            self.free += 1;
        }
        next
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let next = self.0.state.lock().next();
        if let Some(next) = next {
            // If the caller has gone, the send drops the slot, which goes to the next caller.
            let _ = next.send(Self(self.0.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acquires a slot in its own task, which records the client and releases the slot.
    fn queued(queue: &FairQueue, client: &'static str, order: &Arc<Mutex<Vec<&'static str>>>) {
        let (queue, order) = (queue.clone(), order.clone());
        tokio::spawn(async move {
            let slot = queue.slot(client).await;
            order.lock().push(if slot.is_some() { client } else { "recusado" });
        });
    }

    async fn waiting(queue: &FairQueue, callers: usize) {
        while queue.waiting() != callers {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_client_behind_twenty_calls_of_another_is_second_in_the_queue() {
        let queue = FairQueue::new(1, 128, 64);
        let order = Arc::default();
        let running = queue.slot("a").await.unwrap();
        for caller in 1..=20 {
            queued(&queue, "a", &order);
            waiting(&queue, caller).await;
        }
        queued(&queue, "b", &order);
        waiting(&queue, 21).await;

        drop(running);
        waiting(&queue, 0).await;
        while order.lock().len() < 21 {
            tokio::task::yield_now().await;
        }

        assert_eq!(order.lock()[..3], ["a", "b", "a"]);
        assert_eq!(queue.state.lock().free, 1);
    }

    #[tokio::test]
    async fn a_full_queue_drops_a_call_of_the_largest_client_and_each_client_has_its_own_limit() {
        let queue = FairQueue::new(1, 3, 2);
        let order = Arc::default();
        let running = queue.slot("a").await.unwrap();
        for (caller, client) in ["a", "a", "b"].into_iter().enumerate() {
            queued(&queue, client, &order);
            waiting(&queue, caller + 1).await;
        }

        assert!(queue.slot("a").await.is_none(), "the client's own limit");
        queued(&queue, "c", &order);
        while order.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(*order.lock(), ["recusado"], "the second of a");

        drop(running);
        waiting(&queue, 0).await;
        while order.lock().len() < 4 {
            tokio::task::yield_now().await;
        }
        assert_eq!(order.lock()[1..], ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn many_64_bit_networks_of_one_48_bit_network_share_one_turn_and_yield_to_others() {
        const OF_ONE_48: [&str; 3] = ["2001:db8:7:1::/64", "2001:db8:7:2::/64", "2001:db8:7:3::/64"];
        let queue = FairQueue::new(1, 3, 2);
        let order = Arc::default();
        let running = queue.slot("198.51.100.7").await.unwrap();
        for (caller, client) in OF_ONE_48.into_iter().enumerate() {
            queued(&queue, client, &order);
            waiting(&queue, caller + 1).await;
        }
        queued(&queue, "2001:db8:8:1::/64", &order);
        while order.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(*order.lock(), ["recusado"], "one of the /48");

        drop(running);
        while order.lock().len() < 4 {
            tokio::task::yield_now().await;
        }
        assert_eq!(order.lock()[2], "2001:db8:8:1::/64", "the second turn is the other network's");
        assert_eq!(queue.state.lock().free, 1);
    }

    #[tokio::test]
    async fn a_canceled_wait_does_not_take_the_slot() {
        let queue = FairQueue::new(1, 3, 3);
        let running = queue.slot("a").await.unwrap();
        let mut gone = Box::pin(queue.slot("a"));
        assert!(futures::poll!(&mut gone).is_pending());
        drop(gone);

        drop(running);

        assert!(futures::poll!(Box::pin(queue.slot("b"))).is_ready());
    }
}
