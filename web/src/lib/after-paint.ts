/**
 * Runs a job that changes nothing on the page once the next frame has been painted, so that a tap
 * shows its effect first. A hidden page paints nothing: there it runs at once.
 */
export function afterPaint(job: () => void): void {
  if (document.hidden) job()
  else requestAnimationFrame(() => setTimeout(job))
}
