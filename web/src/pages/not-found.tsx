import { NotFound } from '../features/not-found/not-found'

export default function NotFoundPage() {
  return <NotFound />
}
