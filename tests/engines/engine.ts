/** A browser that Playwright does not drive. Elements are named by XPath, which both drivers understand. */
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
  /** Types in place of what the field has. */
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
/** What both engines start with. */
export const SURROUNDINGS = { ...process.env, TZ: 'America/Sao_Paulo', LANG: 'pt_BR.UTF-8' }
