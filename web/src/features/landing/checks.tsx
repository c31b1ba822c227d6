/** Sent and delivered, as chats show it. */
export function Checks() {
  return (
    <svg viewBox="0 0 18 12" width="18" height="12" fill="none" aria-hidden="true">
      <path
        d="m1 6.500 3.500 3.500L11 2.500M8 9l1 1 7-7.500"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
