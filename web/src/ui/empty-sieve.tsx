/** Nothing passed: the sieve without a nugget. For empty, error and not-found pages. */
export function EmptySieve() {
  return (
    <svg width="200" viewBox="0 0 220 130" fill="none" aria-hidden="true">
      <ellipse fill="var(--neblina)" cx="110" cy="118" rx="66" ry="7" />
      <g stroke="var(--pedra)" strokeWidth="3">
        <path fill="var(--papel)" d="M24 44c6 34 42 56 86 56s80-22 86-56" />
        <ellipse fill="var(--neblina)" cx="110" cy="44" rx="88" ry="25" />
      </g>
      <ellipse fill="var(--areia)" cx="110" cy="46" rx="76" ry="18" />
      <g stroke="var(--pedra)" strokeWidth="3.5" strokeDasharray="0 9" strokeLinecap="round">
        <path d="M56 46h108M66 38h88M66 54h88M84 32h52M84 60h52" />
      </g>
    </svg>
  )
}
