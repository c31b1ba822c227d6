// The sandbox's stand-in for the provider's script: the part of it that the checkout page uses.
(() => {
  const ORIGIN = new URL(document.currentScript.src).origin
  let live = null

  const fail = (message) => {
    const error = new Error(message)
    error.name = 'IntegrationError'
    throw error
  }

  class EmbeddedCheckout {
    constructor(secret, options) {
      this.secret = secret
      this.options = options
      this.frame = null
      this.destroyed = false
      this.completed = false
      this.listen = this.listen.bind(this)
    }

    mount(location) {
      if (this.destroyed) fail('This embedded checkout was destroyed: create a new one.')
      if (this.frame) fail('This embedded checkout is already mounted.')
      const place = typeof location === 'string' ? document.querySelector(location) : location
      if (!place) fail('The place to mount the embedded checkout was not found.')
      const frame = document.createElement('iframe')
      frame.src = `${ORIGIN}/v3/embedded/${encodeURIComponent(this.secret)}`
      frame.title = 'Pagamento seguro'
      frame.name = 'embedded-checkout'
      frame.allow = 'payment'
      Object.assign(frame.style, {
        display: 'block',
        width: '100%',
        minHeight: '560px',
        border: '0',
        colorScheme: 'light',
      })
      window.addEventListener('message', this.listen)
      place.append(frame)
      this.frame = frame
    }

    unmount() {
      if (this.destroyed) fail('This embedded checkout was destroyed: it cannot be unmounted.')
      this.detach()
    }

    destroy() {
      this.detach()
      this.destroyed = true
      if (live === this) live = null
    }

    detach() {
      window.removeEventListener('message', this.listen)
      this.frame?.remove()
      this.frame = null
    }

    listen(event) {
      if (event.origin !== ORIGIN || event.source !== this.frame?.contentWindow) return
      const message = event.data ?? {}
      if (message.type === 'resize') this.frame.style.height = `${Number(message.height) || 560}px`
      if (message.type === 'ready') this.tell('checkoutRendered')
      if (message.type === 'submitted') this.tell('checkoutSubmitted')
      if (message.type === 'redirect') window.location.assign(message.url)
      if (message.type === 'complete' && !this.completed) {
        this.completed = true
        this.options.onComplete?.()
      }
    }

    tell(eventType) {
      this.options.onAnalyticsEvent?.({
        eventType,
        checkoutSession: this.secret.split('_secret_')[0],
        details: {},
        clientMetadata: {},
        timestamp: Date.now(),
      })
    }
  }

  async function createEmbeddedCheckoutPage(options = {}) {
    if (live) fail('You cannot have multiple embedded checkout objects.')
    if (Boolean(options.clientSecret) === Boolean(options.fetchClientSecret)) {
      fail('Pass either clientSecret or fetchClientSecret.')
    }
    const claim = {}
    live = claim
    try {
      const secret = options.clientSecret ?? (await options.fetchClientSecret())
      if (!/^cs_test_\w+_secret_\w+$/.test(secret ?? '')) fail('The client secret is not a checkout session\'s.')
      const checkout = new EmbeddedCheckout(secret, options)
      live = checkout
      return checkout
    } catch (error) {
      if (live === claim) live = null
      throw error
    }
  }

  // Opens the bank's question over the page, and resolves with the payment as it is then.
  function authenticate(secret, method) {
    if (!/^pi_\w+_secret_\w+$/.test(secret ?? '')) fail('The client secret is not a payment\'s.')
    return new Promise((done) => {
      const cover = document.createElement('div')
      cover.setAttribute('role', 'dialog')
      cover.setAttribute('aria-modal', 'true')
      cover.setAttribute('aria-label', 'Confirmação do banco')
      Object.assign(cover.style, {
        position: 'fixed',
        inset: '0',
        zIndex: '2147483647',
        display: 'grid',
        placeItems: 'center',
        padding: '16px',
        background: 'rgb(0 0 0 / 55%)',
      })
      const frame = document.createElement('iframe')
      const query = method ? `?payment_method=${encodeURIComponent(method)}` : ''
      frame.src = `${ORIGIN}/v3/authenticate/${encodeURIComponent(secret)}${query}`
      frame.title = 'Confirmação do banco'
      frame.name = 'bank-authentication'
      Object.assign(frame.style, {
        width: 'min(440px, 100%)',
        height: 'min(420px, 100%)',
        border: '0',
        borderRadius: '12px',
        background: '#fff',
        colorScheme: 'light',
      })
      const hear = (event) => {
        if (event.origin !== ORIGIN || event.source !== frame.contentWindow) return
        if (event.data?.type !== 'authenticated') return
        window.removeEventListener('message', hear)
        cover.remove()
        done(event.data.result)
      }
      window.addEventListener('message', hear)
      cover.append(frame)
      document.body.append(cover)
    })
  }

  const confirmCardPayment = async (secret, data = {}) => authenticate(secret, data?.payment_method)
  const confirmPayment = async ({ clientSecret, confirmParams = {}, redirect } = {}) => {
    if (redirect !== 'if_required') fail('The sandbox plays confirmPayment with redirect if_required alone.')
    return authenticate(clientSecret, confirmParams.payment_method)
  }

  const absent = (name) => () => fail(`The sandbox does not play ${name}.`)

  function Stripe(key) {
    if (!String(key).startsWith('pk_')) fail('Pass a publishable key.')
    return {
      elements: absent('elements'),
      createToken: absent('createToken'),
      createPaymentMethod: absent('createPaymentMethod'),
      confirmCardPayment,
      confirmPayment,
      createEmbeddedCheckoutPage,
      registerAppInfo() {},
      _registerWrapper() {},
    }
  }
  Stripe.version = 'endive'
  window.Stripe = Stripe
})()
