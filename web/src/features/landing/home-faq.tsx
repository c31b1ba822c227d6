import { homeFaq } from '../../texts/home-faq'
import { Faq } from '../../ui/faq'

/** The ten questions of the landing page, one open at a time. */
export default function HomeFaq() {
  return <Faq name="faq" title={homeFaq.title} items={homeFaq.items} />
}
