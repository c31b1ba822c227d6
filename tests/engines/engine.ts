/**
 * A browser that Playwright does not drive. Elements are found by XPath, which both drivers
 * support.
 */
export interface Engine {
  /** Console errors and uncaught exceptions of its pages. */
  readonly errors: string[]
  /** Gives the page this size, exactly. */
  resize(width: number, height: number): Promise<void>
  /** Opens a page and waits for its load event. */
  open(address: string): Promise<void>
  /** Runs a function in the page. */
  run<Value>(job: () => Value): Promise<Value>
  /** Waits until an element is visible. */
  see(path: string): Promise<void>
  click(path: string): Promise<void>
  /** Replaces the text of a field. */
  type(path: string, text: string): Promise<void>
  press(key: 'Escape'): Promise<void>
  /** Acts in the tab that `open` opens. */
  inTab(open: () => Promise<void>, act: () => Promise<void>): Promise<void>
  /** Acts in the only frame of the page. */
  inFrame(act: () => Promise<void>): Promise<void>
  screenshot(): Promise<Buffer>
  close(): Promise<void>
}

export const DEADLINE_MS = 20_000
/** The environment of both browsers. */
export const ENVIRONMENT = { ...process.env, TZ: 'America/Sao_Paulo', LANG: 'pt_BR.UTF-8' }
