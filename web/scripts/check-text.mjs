/**
 * The rule that keeps a page working while the browser translates it: an element has one string as
 * its only child, or elements alone. A translation replaces every text node by `<font>` elements.
 * React writes the only string of an element by `textContent`, which replaces them in turn. React
 * changes and removes any other text node by itself, although that node is no longer in the page.
 */
import { relative } from 'node:path'
import * as is from 'typescript/unstable/ast/is'
import { API, TypeFlags } from 'typescript/unstable/sync'

/** @typedef {import('typescript/unstable/ast').Node} Node */
/** @typedef {import('typescript/unstable/ast').JsxChild} JsxChild */
/** @typedef {import('typescript/unstable/sync').Type} Type */

const TEXT_FLAGS =
  TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BigIntLike | TypeFlags.Any | TypeFlags.Unknown

const api = new API()
const [project] = api.updateSnapshot({ openProjects: [`${process.cwd()}/tsconfig.json`] }).getProjects()
if (!project) throw new Error('no project: run this in the folder of tsconfig.json')
const { program, checker } = project

/** @type {Map<number, boolean>} */
const known = new Map()

/**
 * Whether React may write a text node for a value of this type.
 * @param {Type | undefined} type
 * @returns {boolean}
 */
function isTextType(type) {
  if (!type) return true
  let found = known.get(type.id)
  if (found === undefined) {
    // A type that contains itself, as ReactNode does, is decided by its other parts.
    known.set(type.id, false)
    found = hasText(type)
    known.set(type.id, found)
  }
  return found
}

/** @param {Type} type */
function hasText(type) {
  // `name && <b>{name}</b>`: React writes nothing for an empty string.
  if (type.isStringLiteralType()) return type.value !== ''
  if (type.flags & TEXT_FLAGS) return true
  if (type.isUnionType()) return type.getTypes().some(isTextType)
  if (type.isTypeParameter()) return isTextType(checker.getBaseConstraintOfType(type))
  if (checker.isArrayLikeType(type) && type.isTypeReference())
    return checker.getTypeArguments(type).some(isTextType)
  return false
}

/**
 * What a child gives the page.
 * @param {JsxChild} child
 * @returns {'nothing' | 'space' | 'element' | 'sometimes an element' | 'text'}
 */
function contentOf(child) {
  if (is.isJsxText(child)) {
    if (child.text.trim()) return 'text'
    // A line break and the spaces around it are no part of the page.
    return child.text.includes('\n') ? 'nothing' : 'space'
  }
  if (!is.isJsxExpression(child)) return is.isJsxFragment(child) ? 'sometimes an element' : 'element'
  const { expression } = child
  if (!expression) return 'nothing'
  if (is.isStringLiteral(expression) && expression.text.trim() === '') return 'space'
  return isTextType(checker.getTypeAtLocation(expression)) ? 'text' : 'sometimes an element'
}

/** @type {string[]} */
const problems = []

/** @param {import('typescript/unstable/ast').SourceFile} file */
function check(file) {
  /**
   * @param {Node} node
   * @param {string} problem
   */
  const complain = (node, problem) => {
    const line = file.text.slice(0, node.getStart(file)).split('\n').length
    problems.push(`${relative('', file.fileName)}:${line}: ${problem}`)
  }
  /** @param {Node} node */
  const visit = (node) => {
    if (is.isJsxElement(node) || is.isJsxFragment(node)) {
      const children = node.children.filter((child) => contentOf(child) !== 'nothing')
      const contents = children.map(contentOf)
      // A space is not translated, and stays where it is between elements that are always there.
      const isFixed = is.isJsxElement(node) && !contents.includes('sometimes an element')
      for (const [at, child] of children.entries()) {
        const isAlone = children.length === 1 && is.isJsxElement(node)
        if (contents[at] === 'text' && !isAlone)
          complain(child, `text beside an element, or in a fragment: ${child.getText(file).trim()}`)
        if (contents[at] === 'space' && !isAlone && !isFixed)
          complain(child, 'a space beside an element that comes and goes')
      }
    }
    if (is.isFunctionDeclaration(node) && /^[A-Z]/.test(node.name?.text ?? '')) {
      const signature = checker.getSignatureFromDeclaration(node)
      if (signature && isTextType(checker.getReturnTypeOfSignature(signature)))
        complain(node, 'a component that is a text and not an element')
    }
    node.forEachChild(visit)
  }
  visit(file)
}

for (const name of program.getSourceFileNames()) {
  if (!/\.tsx$/.test(name) || relative('src', name).startsWith('..')) continue
  const file = program.getSourceFile(name)
  if (file) check(file)
}
api.close()

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
