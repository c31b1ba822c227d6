import type { Plugin } from 'vite'

/** What the router tells a developer who uses it wrongly: an error stays one without these words. */
const ADVICE =
  /(?<=^\s*|return |= )`(?:Cannot include a|\S+ (?:may|must|can only) be used|You (?:should|cannot))(?:\\`|[^`])*`/gm

/**
 * Says that the router's components are made without side effects, so that the ones nobody uses (forms,
 * scroll restoration, prefetching) leave the bundle: 2.5 KB.
 */
export const shakeRouter: Plugin = {
  name: 'shake-router',
  transform: {
    filter: { id: /react-router\/dist/ },
    handler: (code) =>
      code
        .replace(/\bReact\d*\.(?:forwardRef|createContext|memo)\(/g, '/* @__PURE__ */ $&')
        .replace(ADVICE, '""')
        // A name for the developer's tools, which would keep the component.
        .replace(/^\w+\.displayName = "\w+";$/gm, ''),
  },
}
