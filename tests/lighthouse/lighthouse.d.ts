/** The used parts of Lighthouse's API, because only `make lighthouse` installs its packages. */
declare module 'lighthouse' {
  interface TraceEvent {
    name: string
    pid: number
    tid: number
    ts: number
    /** Processor time, microseconds. */
    tdur?: number
  }
  export interface Trace {
    traceEvents: TraceEvent[]
  }
  interface Audit {
    score: number | null
    numericValue?: number
    displayValue?: string
  }
  interface Category {
    score: number | null
    auditRefs: { id: string; weight: number }[]
  }
  interface Result {
    lhr: { audits: Record<string, Audit>; categories: Record<string, Category> }
    artifacts: { Trace: Trace }
  }
  export default function lighthouse(url: string, flags: Record<string, unknown>): Promise<Result>
}

declare module 'chrome-launcher' {
  export function launch(options: {
    chromePath?: string
    chromeFlags?: string[]
  }): Promise<{ port: number; kill(): void }>
}
