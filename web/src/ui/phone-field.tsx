import { type ChangeEvent, type ComponentProps, useState } from 'react'
import { flushSync } from 'react-dom'
import { caretBehind, changePhone, maskPhone, orderPhone } from '../forms/phone-mask'
import { useTypedEarly } from '../lib/use-typed-early'
import { Field } from './field'

/**
 * A WhatsApp number, masked while it is typed. The caret stays behind the digit that was typed
 * last.
 */
export function PhoneField({
  defaultValue = '',
  ...field
}: Omit<ComponentProps<typeof Field>, 'value' | 'onChange' | 'defaultValue'> & { defaultValue?: string }) {
  const [changed, setTyped] = useState<string | null>(null)
  const typed = changed ?? defaultValue
  const early = useTypedEarly((value) => setTyped(changePhone('', value)))
  const onChange = ({ currentTarget: input }: ChangeEvent<HTMLInputElement>) => {
    const before = input.value.slice(0, input.selectionStart ?? input.value.length)
    const count = before.replace(/[^\d+]/g, '').length
    // At once, because React moves the caret to the end when the mask changes what was typed.
    flushSync(() => setTyped(changePhone(maskPhone(typed), input.value)))
    const caret = caretBehind(input.value, count)
    input.setSelectionRange(caret, caret)
  }
  return (
    <Field
      ref={early}
      name="whatsapp"
      type="tel"
      inputMode="tel"
      autoComplete="tel-national"
      value={maskPhone(typed)}
      onChange={onChange}
      onBlur={() => setTyped(orderPhone(typed))}
      {...field}
    />
  )
}
