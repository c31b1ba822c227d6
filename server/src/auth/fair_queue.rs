//! Slots for dear work, with a bounded queue that is fair to its clients: a free slot goes to the
//! next client in turn, however many callers one client has.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// A queue for a number of slots.
#[derive(Clone)]
pub(super) struct FairQueue {
    state: Arc<Mutex<State>>,
    most_waiting: usize,
    most_per_client: usize,
}

/// A slot, until it is dropped.
pub(super) struct Slot(FairQueue);

struct State {
    /// Free slots. A caller waits only while this is 0.
    free: usize,
    waiting: HashMap<String, VecDeque<oneshot::Sender<Slot>>>,
    /// Clients with waiting callers, the next one first.
    turns: VecDeque<String>,
}

impl FairQueue {
    /// `slots` at once; `most_waiting` callers may wait, `most_per_client` of them of one client.
    pub fn new(slots: usize, most_waiting: usize, most_per_client: usize) -> Self {
        let state = State { free: slots.max(1), waiting: HashMap::new(), turns: VecDeque::new() };
        Self { state: Arc::new(Mutex::new(state)), most_waiting, most_per_client }
    }

    /// Waits for a slot; `None` where the queue is full, or where another client got the place.
    pub async fn slot(&self, client: &str) -> Option<Slot> {
        let turn = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                drop(state);
                return Some(Slot(self.clone()));
            }
            if state.waiting_of(client) >= self.most_per_client {
                return None;
            }
            if state.waiting_in_all() >= self.most_waiting && !state.make_room(client) {
                return None;
            }
            state.enqueue(client)
        };
        turn.await.ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        self.state().waiting_in_all()
    }
}

impl State {
    fn waiting_of(&self, client: &str) -> usize {
        self.waiting.get(client).map_or(0, VecDeque::len)
    }

    fn waiting_in_all(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    fn enqueue(&mut self, client: &str) -> oneshot::Receiver<Slot> {
        let (sender, turn) = oneshot::channel();
        if self.waiting_of(client) == 0 {
            self.turns.push_back(client.to_owned());
        }
        self.waiting.entry(client.to_owned()).or_default().push_back(sender);
        turn
    }

    /// Takes the last place of the client with the most callers for one that would have fewer.
    fn make_room(&mut self, client: &str) -> bool {
        let own = self.waiting_of(client);
        let longest = self.waiting.iter_mut().max_by_key(|(_, callers)| callers.len());
        match longest {
            Some((_, callers)) if callers.len() > own + 1 => callers.pop_back().is_some(),
            _ => false,
        }
    }

    /// The next caller; without one the slot is free.
    fn next(&mut self) -> Option<oneshot::Sender<Slot>> {
        while let Some(client) = self.turns.pop_front() {
            let mut callers = self.waiting.remove(&client).unwrap_or_default();
            let next = callers.pop_front();
            if !callers.is_empty() {
                self.turns.push_back(client.clone());
                self.waiting.insert(client, callers);
            }
            if next.is_some() {
                return next;
            }
        }
        self.free += 1;
        None
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let next = self.0.state().next();
        if let Some(next) = next {
            // A caller that went away drops the slot, which then goes to the one after it.
            let _ = next.send(Self(self.0.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a slot in a task of its own, which records its client and keeps the slot for nobody.
    fn queued(queue: &FairQueue, client: &'static str, order: &Arc<Mutex<Vec<&'static str>>>) {
        let (queue, order) = (queue.clone(), order.clone());
        tokio::spawn(async move {
            let slot = queue.slot(client).await;
            order.lock().unwrap().push(if slot.is_some() { client } else { "recusado" });
        });
    }

    async fn waiting(queue: &FairQueue, callers: usize) {
        while queue.waiting() != callers {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn quem_chega_depois_de_vinte_chamadas_de_outro_e_o_segundo_da_fila() {
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
        while order.lock().unwrap().len() < 21 {
            tokio::task::yield_now().await;
        }

        assert_eq!(order.lock().unwrap()[..3], ["a", "b", "a"]);
        assert_eq!(queue.state().free, 1);
    }

    #[tokio::test]
    async fn fila_cheia_de_um_cliente_da_lugar_a_outro_e_cada_um_tem_o_seu_limite() {
        let queue = FairQueue::new(1, 3, 2);
        let order = Arc::default();
        let running = queue.slot("a").await.unwrap();
        for (caller, client) in ["a", "a", "b"].into_iter().enumerate() {
            queued(&queue, client, &order);
            waiting(&queue, caller + 1).await;
        }

        assert!(queue.slot("a").await.is_none(), "the client's own limit");
        queued(&queue, "c", &order);
        while order.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(*order.lock().unwrap(), ["recusado"], "the second of a");

        drop(running);
        waiting(&queue, 0).await;
        while order.lock().unwrap().len() < 4 {
            tokio::task::yield_now().await;
        }
        assert_eq!(order.lock().unwrap()[1..], ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn quem_desiste_na_fila_nao_leva_o_lugar_consigo() {
        let queue = FairQueue::new(1, 3, 3);
        let running = queue.slot("a").await.unwrap();
        let mut gone = Box::pin(queue.slot("a"));
        assert!(futures::poll!(&mut gone).is_pending());
        drop(gone);

        drop(running);

        assert!(futures::poll!(Box::pin(queue.slot("b"))).is_ready());
    }
}
