//! How many connections a port holds, of whom, and which of them go when it is full.

use axum::body::{Body, Bytes, HttpBody};
use garimpo_gateway::budget::{AnswerEviction, Budget, BudgetLimits, Exceeded, Share, count_limited};
use http::Version;
use hyper::body::{Frame, SizeHint};
use ipnet::IpNet;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Open connections of a port of our own machines. Descriptors are left for files and providers.
const INTERNAL: BudgetLimits = BudgetLimits { total: 4096, client: usize::MAX / 2 };
/// A connection of the public port that has no request for so long is closed.
const IDLE: Duration = Duration::from_mins(1);
/// A connection of the public port whose client takes nothing of an answer for so long is closed.
const UNREAD: Duration = Duration::from_secs(30);
/// HTTP/2 streams of a connection of the public port: a browser's page needs fewer.
const PUBLIC_STREAMS: u32 = 64;
/// HTTP/2 streams of a connection of our own machines, which carries many watches.
const INTERNAL_STREAMS: u32 = 256;

/// The connections of one port.
#[derive(Clone)]
pub struct Connections(Arc<Inner>);

struct Inner {
    budget: Budget,
    /// Peers that speak for many people each: only the port's own limit holds for them.
    is_proxy: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    patience: Option<Patience>,
    streams: u32,
    next_id: AtomicU64,
    open: Mutex<HashMap<u64, Open>>,
}

/// How long a connection of the public port may do nothing.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Without a request.
    pub idle: Duration,
    /// With an answer of which its client takes nothing.
    pub unread: Duration,
}

/// An open connection, as the port sees it.
struct Open {
    /// `None` for our own machines and for proxies.
    client: Option<IpAddr>,
    usage: Arc<Usage>,
    evicted: CancellationToken,
    _share: Share,
}

impl Connections {
    /// Those of a port of our own machines, where no peer has a limit of its own.
    pub fn internal(port: &'static str) -> Self {
        Self::new(Budget::new(port, INTERNAL), |_| true, None, INTERNAL_STREAMS)
    }

    /// Those of the public port.
    pub fn public(limits: BudgetLimits, proxies: &[IpNet]) -> Self {
        let proxies = proxies.to_vec();
        let is_proxy = move |peer: IpAddr| proxies.iter().any(|net| net.contains(&peer.to_canonical()));
        let patience = Patience { idle: IDLE, unread: UNREAD };
        Self::new(Budget::new("connections", limits), is_proxy, Some(patience), PUBLIC_STREAMS)
    }

    fn new(
        budget: Budget,
        is_proxy: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
        patience: Option<Patience>,
        streams: u32,
    ) -> Self {
        let (next_id, open) = (AtomicU64::default(), Mutex::default());
        Self(Arc::new(Inner { budget, is_proxy: Box::new(is_proxy), patience, streams, next_id, open }))
    }

    /// The same with other times.
    #[cfg(test)]
    pub fn impatient(limits: BudgetLimits, patience: Patience) -> Self {
        Self::new(Budget::new("connections", limits), |_| false, Some(patience), PUBLIC_STREAMS)
    }

    /// HTTP/2 streams of a connection.
    pub fn streams(&self) -> u32 {
        self.0.streams
    }

    /// Admits a connection. When the port is full, the connection that has been idle for longest is
    /// closed, and where all are in use one of the client that has most, because a refusal would let
    /// few clients keep everybody else out.
    ///
    /// # Errors
    /// The limit that stands against it.
    pub fn admit(&self, address: IpAddr) -> Result<Admitted, Exceeded> {
        let client = (!(self.0.is_proxy)(address)).then_some(address);
        let share = match self.0.budget.claim(client, 1) {
            Err(Exceeded::Total) if self.evict_idle(client) || self.evict_from_largest(client) => {
                self.0.budget.claim(client, 1)?
            }
            claimed => claimed?,
        };
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        // The calls of all of a proxy's clients would end with its connection.
        let eviction = client.map(|_| AnswerEviction::default());
        let (usage, evicted) = (Arc::new(Usage::new(eviction)), CancellationToken::new());
        let open = Open { client, usage: usage.clone(), evicted: evicted.clone(), _share: share };
        self.open().insert(id, open);
        Ok(Admitted { connections: self.clone(), id, is_proxy: client.is_none(), usage, evicted })
    }

    /// Ends the connection that has been idle for longest, but none of a client that has fewer than
    /// the newcomer; answers whether there was one.
    fn evict_idle(&self, newcomer: Option<IpAddr>) -> bool {
        let mut open = self.open();
        let held = |client: Option<IpAddr>| client.map_or(usize::MAX, |c| self.0.budget.held_around(c));
        let own = newcomer.map_or(0, |newcomer| held(Some(newcomer)));
        let gives_way = |open: &Open| open.client == newcomer || held(open.client) > own;
        let idle = open.iter().filter(|(_, open)| gives_way(open));
        let idle = idle.filter_map(|(id, open)| Some((open.usage.idle_since()?, *id)));
        let id = idle.min().map(|(_, id)| id);
        id.is_some_and(|id| evict(&mut open, id))
    }

    /// Ends a connection of the IPv4 address or IPv6 /48 that has most: the one without progress for
    /// longest. Nobody loses one to a client that would then have more.
    fn evict_from_largest(&self, newcomer: Option<IpAddr>) -> bool {
        let mut open = self.open();
        let held = |client: IpAddr| self.0.budget.held_around(client);
        let candidates = open
            .iter()
            .filter_map(|(id, open)| Some((held(open.client?), Reverse(open.usage.last_progress()), *id)));
        let Some((most, _, id)) = candidates.max() else { return false };
        most > newcomer.map_or(0, held) + 1 && evict(&mut open, id)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Open>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends an open connection and frees its place.
fn evict(open: &mut HashMap<u64, Open>, id: u64) -> bool {
    let Some(gone) = open.remove(&id) else { return false };
    gone.evicted.cancel();
    count_limited("connections", "evicted");
    true
}

/// A connection that was admitted; it is counted until this is dropped or evicted.
pub struct Admitted {
    connections: Connections,
    id: u64,
    is_proxy: bool,
    usage: Arc<Usage>,
    evicted: CancellationToken,
}

impl Admitted {
    /// Its requests.
    pub fn usage(&self) -> Arc<Usage> {
        self.usage.clone()
    }

    /// Waits until its place, or that of one of its answers, is needed for another client.
    pub async fn evicted(&self) {
        let answer = async {
            match &self.usage.eviction {
                Some(eviction) => eviction.evicted().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.evicted.cancelled() => {}
            () = answer => {}
        }
    }

    /// Waits until it has had no request for the port's limit and `longer`.
    pub async fn idle(&self, longer: Duration) {
        match self.connections.0.patience {
            Some(patience) => self.usage.idle_for(patience.idle + longer).await,
            None => std::future::pending().await,
        }
    }

    /// Waits until it can be told to end without losing a request. HTTP/2 can at once, because its
    /// GOAWAY names the calls that count. HTTP/1.1 has no such word, so it can when it has been
    /// idle.
    pub async fn settled(&self, linger: Duration) {
        while !self.usage.is_http2.load(Ordering::Relaxed) {
            let idle = self.usage.idle_since().map_or(Duration::ZERO, |since| since.elapsed());
            if idle >= linger {
                return;
            }
            tokio::time::sleep(linger.saturating_sub(idle)).await;
        }
    }

    /// Waits until its client has taken nothing of an answer for the port's limit. An answer that has
    /// nothing to send does not count: a watch may be silent for hours. Neither does a proxy's: one
    /// of its clients would end the calls of all others.
    pub async fn unread(&self) {
        match self.connections.0.patience {
            Some(patience) if !self.is_proxy => {
                self.usage.unread_for(patience.unread).await;
                count_limited("connections", "slow");
            }
            _ => std::future::pending().await,
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let closed = self.connections.open().remove(&self.id);
        drop(closed);
    }
}

/// The requests of one connection.
pub struct Usage {
    /// Whether its last request was HTTP/2.
    is_http2: AtomicBool,
    running: AtomicUsize,
    /// When a request began or ended last, or gave a piece of its answer.
    last_progress: Mutex<Instant>,
    /// Since when the client owes the next step, by answer.
    unread: Mutex<HashMap<u64, Instant>>,
    next_answer: AtomicU64,
    /// Answers that wait until the client takes bytes again; `None` while it takes them.
    blocked: Mutex<Option<Vec<Waker>>>,
    /// Ends the connection for an answer; `None` for our own machines and for proxies.
    eviction: Option<AnswerEviction>,
}

/// A request that runs until its answer is written.
pub struct Running(Arc<Usage>);

impl Usage {
    fn new(eviction: Option<AnswerEviction>) -> Self {
        Self {
            is_http2: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            last_progress: Mutex::new(Instant::now()),
            unread: Mutex::default(),
            next_answer: AtomicU64::default(),
            blocked: Mutex::default(),
            eviction,
        }
    }

    /// What ends the connection for one of its answers.
    pub fn eviction(&self) -> Option<AnswerEviction> {
        self.eviction.clone()
    }

    /// The socket takes no bytes.
    pub fn blocks(&self) {
        self.blocked().get_or_insert_default();
    }

    /// The socket has taken bytes.
    pub fn flows(&self) {
        let waiting = self.blocked().take();
        waiting.into_iter().flatten().for_each(Waker::wake);
    }

    /// Whether the socket takes no bytes; the task is woken when it does.
    fn is_blocked(&self, cx: &Context<'_>) -> bool {
        let mut blocked = self.blocked();
        let Some(waiting) = blocked.as_mut() else { return false };
        if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        true
    }

    fn blocked(&self) -> MutexGuard<'_, Option<Vec<Waker>>> {
        self.blocked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request has come in this version.
    pub fn speaks(&self, version: Version) {
        self.is_http2.store(version == Version::HTTP_2, Ordering::Relaxed);
    }

    /// A request begins.
    pub fn begin(self: &Arc<Self>) -> Running {
        self.running.fetch_add(1, Ordering::SeqCst);
        self.progresses();
        Running(self.clone())
    }

    /// Since when there is no request; `None` while there is one.
    fn idle_since(&self) -> Option<Instant> {
        let since = self.last_progress();
        (self.running.load(Ordering::SeqCst) == 0).then_some(since)
    }

    fn last_progress(&self) -> Instant {
        *self.last_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progresses(&self) {
        *self.last_progress.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn unread(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn unread_for(&self, limit: Duration) {
        loop {
            let oldest = self.unread().values().min().copied();
            let unread = oldest.map_or(Duration::ZERO, |since| since.elapsed());
            if unread >= limit {
                return;
            }
            tokio::time::sleep(limit.saturating_sub(unread)).await;
        }
    }

    async fn idle_for(&self, limit: Duration) {
        loop {
            let idle = self.idle_since().map_or(Duration::ZERO, |since| since.elapsed());
            if idle >= limit {
                return;
            }
            tokio::time::sleep(limit.saturating_sub(idle)).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.progresses();
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Largest piece of an answer, in bytes: hyper holds so much of each for a client that does not read.
const PIECE: usize = 16 * 1024;

/// The body of an answer, whose request runs until the client has taken it.
struct RunningBody {
    body: Body,
    /// What is left of the frame that hyper is taking.
    rest: Bytes,
    /// Its name among the answers of the connection.
    id: u64,
    running: Running,
}

/// The body as part of a request that runs.
pub fn running_body(body: Body, running: Running) -> Body {
    let usage = &running.0;
    let id = usage.next_answer.fetch_add(1, Ordering::Relaxed);
    usage.unread().insert(id, Instant::now());
    Body::new(RunningBody { body, rest: Bytes::new(), id, running })
}

/// The next piece of a frame. Its last byte goes alone, because hyper drops a body with its last
/// piece, and takes that once the client's HTTP/2 window has room for all bytes before it.
fn next_piece(rest: &mut Bytes) -> Bytes {
    rest.split_to(rest.len().saturating_sub(1).clamp(1, PIECE))
}

impl RunningBody {
    fn poll_body(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                ended => return Poll::Ready(ended),
            };
            match frame.into_data() {
                Ok(data) if !data.is_empty() => self.rest = data,
                Ok(empty) => return Poll::Ready(Some(Ok(Frame::data(empty)))),
                Err(other) => return Poll::Ready(Some(Ok(other))),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(next_piece(&mut self.rest)))))
    }
}

impl Drop for RunningBody {
    fn drop(&mut self) {
        self.running.0.unread().remove(&self.id);
    }
}

impl HttpBody for RunningBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // The client owes the next step, so the answer stays unread.
        if self.running.0.is_blocked(cx) {
            return Poll::Pending;
        }
        let polled = self.poll_body(cx);
        let usage = &self.running.0;
        // hyper polls again once the client has taken of what it has.
        if polled.is_pending() {
            usage.unread().remove(&self.id);
        } else {
            usage.progresses();
            usage.unread().insert(self.id, Instant::now());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    const LIMITS: BudgetLimits = BudgetLimits { total: 3, client: 2 };

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn uma_rede_64_tem_tantas_conexoes_e_um_proxy_de_confianca_as_da_porta() {
        let connections = Connections::public(LIMITS, &["10.0.0.0/8".parse().unwrap()]);

        let held = [connections.admit(address("2001:db8::1")), connections.admit(address("2001:db8::2"))];
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(connections.admit(address("2001:db8::3")).err(), Some(Exceeded::Client));
        assert_eq!(connections.admit(address("127.0.0.1")).err(), None);
        drop(held);

        let proxied: Vec<_> = (0..3).map(|_| connections.admit(address("10.0.0.1"))).collect();
        assert!(proxied.iter().all(Result::is_ok));
        drop(proxied);
        assert!(connections.open().is_empty());
    }

    #[tokio::test]
    async fn porta_cheia_fecha_a_conexao_parada_ha_mais_tempo_e_nunca_uma_em_uso() {
        let connections = Connections::public(LIMITS, &[]);
        let busy = connections.admit(address("203.0.113.1")).unwrap();
        let idle = connections.admit(address("203.0.113.1")).unwrap();
        let other = connections.admit(address("203.0.113.2")).unwrap();
        let running = (busy.usage().begin(), other.usage().begin());

        let new = connections.admit(address("203.0.113.3")).unwrap();
        idle.evicted().await;
        let _running = new.usage().begin();

        // Each client has one.
        assert_eq!(connections.admit(address("203.0.113.4")).err(), Some(Exceeded::Total));
        drop(running);
        assert!(connections.admit(address("203.0.113.4")).is_ok());
    }

    #[tokio::test]
    async fn porta_cheia_de_conexoes_em_uso_fecha_a_mais_lenta_de_quem_tem_mais() {
        let limits = BudgetLimits { total: 5, client: 2 };
        let connections = Connections::public(limits, &["10.0.0.0/8".parse().unwrap()]);
        let admitted = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:2::2", "203.0.113.1", "10.0.0.1"]
            .map(|from| connections.admit(address(from)).unwrap());
        let usages = admitted.each_ref().map(Admitted::usage);
        let _running = usages.each_ref().map(Usage::begin);
        usages[0].progresses();

        let new = connections.admit(address("203.0.113.2")).unwrap();
        let _newly_running = new.usage().begin();
        admitted[1].evicted().await;

        // The /48 has two; so would the address.
        assert_eq!(connections.admit(address("203.0.113.2")).err(), Some(Exceeded::Total));
        let _other = connections.admit(address("203.0.113.3")).unwrap();
        admitted[2].evicted().await;
    }

    #[tokio::test]
    async fn resposta_vai_em_pedacos_e_so_o_ultimo_byte_a_termina() {
        let usage = Arc::new(Usage::new(None));
        let whole = vec![b'a'; 2 * PIECE + 1];
        let mut body = running_body(Body::from(whole.clone()), usage.begin());
        let (mut lengths, mut read) = (Vec::new(), Vec::new());
        while !body.is_end_stream() {
            assert_eq!(body.size_hint().exact(), Some((whole.len() - read.len()) as u64));
            let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
            let data = frame.unwrap().unwrap().into_data().unwrap();
            lengths.push(data.len());
            read.extend_from_slice(&data);
        }

        assert_eq!((lengths, read), (vec![PIECE, PIECE, 1], whole));
        assert!(usage.idle_since().is_none());
        drop(body);
        assert!(usage.idle_since().is_some());
    }

    #[tokio::test]
    async fn resposta_espera_e_fica_sem_ler_enquanto_o_socket_nao_aceita_bytes() {
        let usage = Arc::new(Usage::new(None));
        let mut body = running_body(Body::from("oi"), usage.begin());
        let mut next = std::pin::pin!(std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)));
        usage.blocks();

        assert!(next.as_mut().now_or_never().is_none());
        assert_eq!(usage.unread().len(), 1);
        usage.flows();
        assert!(next.now_or_never().is_some());
    }

    #[tokio::test]
    async fn resposta_despejada_fecha_a_conexao_do_cliente_e_nunca_a_de_um_proxy() {
        let connections = Connections::public(LIMITS, &["10.0.0.0/8".parse().unwrap()]);
        let admitted = connections.admit(address("203.0.113.1")).unwrap();
        assert!(admitted.evicted().now_or_never().is_none());
        assert!(admitted.usage().eviction().is_some());
        let proxy = connections.admit(address("10.0.0.1")).unwrap();
        assert!(proxy.usage().eviction().is_none());
    }

    #[tokio::test]
    async fn resposta_que_o_cliente_de_um_proxy_nao_le_nao_fecha_a_conexao_do_proxy() {
        for (is_proxy, closes) in [(true, false), (false, true)] {
            let patience = Patience { idle: IDLE, unread: Duration::ZERO };
            let connections =
                Connections::new(Budget::new("test", LIMITS), move |_| is_proxy, Some(patience), 1);
            let admitted = connections.admit(address("203.0.113.1")).unwrap();
            let _unread = running_body(Body::from("oi"), admitted.usage().begin());
            assert_eq!(admitted.unread().now_or_never().is_some(), closes);
        }
    }
}
