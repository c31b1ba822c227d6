import { useEffect, useState } from 'react'
import { loadConfig } from '../../lib/config'
import { yearInSaoPaulo } from '../../lib/dates'
import { serverNow } from '../../lib/server-clock'

/** The year in São Paulo by the product's clock; null until it is known, also in the built page. */
export function useYear(): string | null {
  const [year, setYear] = useState<string | null>(null)
  useEffect(() => {
    const show = () => setYear(yearInSaoPaulo(serverNow()))
    loadConfig().then(show, show)
  }, [])
  return year
}
