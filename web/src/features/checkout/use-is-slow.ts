import { useEffect, useState } from 'react'
import { RETURN_PATIENCE_MS } from '../../lib/timers'

/** True until a page has waited too long to say nothing but 'Carregando...'. */
export function usePatience(): boolean {
  const [patient, setPatient] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), RETURN_PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return patient
}
