import { readFileSync } from 'node:fs'
import type { Message } from '@bufbuild/protobuf'
import { fromBinary } from '@bufbuild/protobuf'
import { base64Decode } from '@bufbuild/protobuf/wire'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { Plugin } from 'vite'

const PROTOBUF = '@bufbuild/protobuf/dist/esm'
const JSON_FORMAT = new RegExp(`${PROTOBUF}/(?:from|to)-json\\.js$`)
const HYDRATION = new RegExp(`${PROTOBUF}/codegenv2/file\\.js$`)
const GENERATED = /_pb\.(?:ts|js)$/
/** How generated code describes its file. */
export const DESCRIPTOR = /fileDesc\("([^"]+)"/g
const DECODED = 'fromBinary(FileDescriptorProtoSchema, base64Decode(b64))'

/**
 * Leaves out of the browser's build what our calls do not use of protobuf: the JSON format of messages, because calls
 * send bytes, and the decoding of descriptors, which the build does. A descriptor as an object compresses to half of its
 * base64. Ends the build when the library no longer looks as expected. docs/decisions.md has the sizes.
 */
export const slimMessages: Plugin = {
  name: 'slim-messages',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  enforce: 'pre',
  load: {
    filter: { id: JSON_FORMAT },
    handler(id) {
      found.add(id)
      return withoutFunctions(readFileSync(id, 'utf8'))
    },
  },
  transform: {
    filter: { id: [HYDRATION, GENERATED] },
    handler(code, id) {
      if (!HYDRATION.test(id)) return withObjects(code)
      if (!code.includes(DECODED)) throw new Error(`${id} does not call ${DECODED}`)
      found.add(id)
      return code.replace(DECODED, 'b64')
    },
  },
  buildEnd(error) {
    if (!error && found.size !== 3) throw new Error(`slim-messages found only ${[...found].join(', ')}`)
  },
}

const found = new Set<string>()

/** A module that exports the same functions, which only throw. */
function withoutFunctions(code: string): string {
  const names = [...code.matchAll(/^export function (\w+)/gm)].map(([, name]) => name)
  if (names.length === 0) throw new Error('the JSON format of protobuf exports no function')
  return names.map((name) => `export function ${name}() { throw Error('no JSON of messages') }`).join('\n')
}

/** Generated code with its file's descriptor as an object in place of base64. */
function withObjects(code: string): string {
  return code.replaceAll(DESCRIPTOR, (_, base64) => `fileDesc(${JSON.stringify(descriptorOf(base64))}`)
}

/** The descriptor of a file, as the library's registry takes it. */
export function descriptorOf(base64: string): object {
  const file = fromBinary(FileDescriptorProtoSchema, base64Decode(base64))
  return { $typeName: file.$typeName, ...plain(file) }
}

/** What the library's registry reads of a descriptor: what is set, and every list. */
function plain(message: Message): object {
  const fields = Object.entries(message).filter(
    ([name, value]) => !name.startsWith('$') && !isUnread(name, value),
  )
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((item) => (isMessage(item) ? plain(item) : item))
        : isMessage(value)
          ? plain(value)
          : value,
    ]),
  )
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && '$typeName' in value

/** Options of other languages, and lists that are only ever empty here. */
function isUnread(name: string, value: unknown): boolean {
  return (
    name === 'sourceCodeInfo' || (UNREAD_LISTS.includes(name) && Array.isArray(value) && value.length === 0)
  )
}

const UNREAD_LISTS = [
  'publicDependency',
  'weakDependency',
  'optionDependency',
  'extensionRange',
  'reservedRange',
  'reservedName',
  'uninterpretedOption',
  'targets',
  'editionDefaults',
]
