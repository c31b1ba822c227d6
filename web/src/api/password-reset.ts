import { RPC_TIMEOUT_MS } from '../lib/timers'

/** The server's text where it gave one, for the toast. */
export type ResetAnswer = { ok: true } | { ok: false; error: string | null }

/**
 * Asks for a recovery link. By REST and not by RPC: the toast shows the server's text, which only
 * this answer carries in Portuguese, and a page with one field needs no RPC code.
 */
export async function askPasswordReset(email: string): Promise<ResetAnswer> {
  try {
    const answer = await fetch('/api/password-reset', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
      signal: AbortSignal.timeout(RPC_TIMEOUT_MS),
    })
    const { ok, error } = (await answer.json()) as { ok?: unknown; error?: unknown }
    if (answer.ok && ok === true) return { ok }
    return { ok: false, error: typeof error === 'string' && error ? error : null }
  } catch (cause) {
    console.warn('asking for a password reset failed', cause)
    return { ok: false, error: null }
  }
}
