import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import bill from './bill.module.css'
import { Price } from './price'

/** A name and its value. A fact without a value is left out. */
export type Fact = readonly [name: string, value: string | Elements] | false | null | undefined | ''

/** Facts, one a line. */
export function Facts({
  facts,
  children,
  ...list
}: Omit<ComponentProps<'dl'>, 'children'> & {
  facts: readonly Fact[]
  children?: Elements
}) {
  return (
    <dl {...list}>
      {facts.map(
        (fact, at) =>
          fact && (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bill may name two amounts alike
            <div key={at}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
      {children}
    </dl>
  )
}

/** What makes an amount, and the amount. */
export function Bill({
  facts = [],
  total,
  className,
  ...list
}: Omit<ComponentProps<'dl'>, 'children'> & {
  facts?: readonly Fact[]
  total?: readonly [name: string, centavos: number | bigint] | false
}) {
  return (
    <Facts className={classNames(bill.bill, className)} facts={facts} {...list}>
      {total && (
        <div className={bill.total}>
          <dt>{total[0]}</dt>
          <dd>
            <Price centavos={total[1]} />
          </dd>
        </div>
      )}
    </Facts>
  )
}
