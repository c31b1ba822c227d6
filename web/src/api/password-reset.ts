import { RPC_TIMEOUT_MS, timeoutSignal } from '../lib/timers'

/** The server's refusal, with its text for the toast, if it gave one. */
export class ResetRefused extends Error {}

/**
 * Asks for a recovery link. By REST and not by RPC: the toast shows the server's text, which only
 * this answer carries in Portuguese, and a page with one field needs no RPC code. Throws a
 * ResetRefused, and without an answer another error.
 */
export async function askPasswordReset(email: string): Promise<void> {
  const answer = await fetch('/api/password-reset', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    signal: timeoutSignal(RPC_TIMEOUT_MS),
  })
  const { ok, error } = (await answer.json()) as { ok?: unknown; error?: unknown }
  if (!answer.ok || ok !== true) throw new ResetRefused(typeof error === 'string' ? error : '')
}
