import { type ChangeEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { caretBehind, maskPhone, phoneDigits } from './phone-mask'

/** The value of a phone input, masked while it is typed. The caret stays behind the digit that was typed last. */
export function usePhoneInput(initial = '') {
  const [typed, setTyped] = useState(initial)
  const onChange = ({ currentTarget: input }: ChangeEvent<HTMLInputElement>) => {
    const before = input.value.slice(0, input.selectionStart ?? input.value.length)
    const count = phoneDigits(before).length
    // At once, because React moves the caret to the end when the mask changes what was typed.
    flushSync(() => setTyped(input.value))
    const caret = caretBehind(input.value, count)
    input.setSelectionRange(caret, caret)
  }
  return { value: maskPhone(typed), onChange }
}
