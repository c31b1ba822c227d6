import type { Plugin } from 'vite'

const REACT_DOM = /react-dom\/cjs\/react-dom-client\.production\.js$/

/**
 * Functions of react-dom that run only for features that the site does not use. What these alone
 * call is then dropped by the minifier. scripts/check-house.mjs keeps the features out of the code.
 */
const UNUSED = {
  viewTransitions: [
    'startViewTransition',
    'ViewTransitionPseudoElement',
    'getViewTransitionName',
    'getClassNameByType',
    'applyViewTransitionToHostInstances',
    'commitExitViewTransitions',
    'commitNestedViewTransitions',
    'restoreViewTransitionOnHostInstances',
    'restoreEnterOrExitViewTransitions',
    'restoreNestedViewTransitions',
  ],
  fragmentRefs: [
    'FragmentInstance',
    'addFragmentHandleToFiber',
    'commitNewChildToFragmentInstances',
    'commitFragmentInstanceInsertionEffects',
    'commitFragmentInstanceDeletionEffects',
  ],
  /** Stylesheets and scripts as elements, hints for the browser's loader, waiting for images. */
  resources: [
    'prefetchDNS',
    'preconnect',
    'preload',
    'preloadModule',
    'preinitStyle',
    'preinitScript',
    'preinitModuleScript',
    'getResource',
    'acquireResource',
    'preloadResourceAndSuspendIfNeeded',
    'preloadInstanceAndSuspendIfNeeded',
    'accumulateSuspenseyCommitOnFiber',
    'waitForCommitToBeReady',
    'insertSuspendedStylesheets',
  ],
  formActions: [
    'extractEvents$1',
    'startHostTransition',
    'ensureFormComponentIsStateful',
    'useHostTransitionStatus',
    'TransitionAwareHostComponent',
    'mountActionState',
    'updateActionState',
    'rerenderActionState',
    'updateOptimisticImpl',
  ],
  suspenseLists: ['updateSuspenseListComponent', 'findFirstSuspended', 'cutOffTailIfNeeded'],
  componentStacks: ['getStackByFiberInDevAndProd', 'getComponentNameFromType'],
}

/**
 * Leaves them out of the browser's build: each only returns null. Ends the build when react-dom no
 * longer has one of them. docs/decisions.md has the sizes.
 */
export const slimReact: Plugin = {
  name: 'slim-react',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: REACT_DOM },
    handler(code) {
      isFound = true
      return Object.values(UNUSED).flat().reduce(withoutFunction, code)
    },
  },
  buildEnd(error) {
    if (!error && !isFound) throw new Error('slim-react found no react-dom')
  },
}

let isFound = false

/** The code with the function's body emptied, and without the methods of its prototype. */
function withoutFunction(code: string, name: string): string {
  const escaped = name.replace('$', '\\$')
  const body = new RegExp(`^(function ${escaped}\\([^)]*\\) )\\{$.*?^\\}$`, 'ms')
  if (!body.test(code)) throw new Error(`react-dom has no function ${name}`)
  const methods = new RegExp(`^${escaped}\\.prototype\\.\\w+ = .*?^\\};$`, 'gms')
  return code.replace(body, '$1{ return null }').replace(methods, '')
}
