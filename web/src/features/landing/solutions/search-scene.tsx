import { solutions } from '../../../texts/solutions'
import { ProductPicture } from '../home/product-picture'
import art from './search-scene-art.module.css'

const { filters, passed, refused } = solutions.search

/** The rim of the sieve as a horizon: poor offers sink into the mesh, one rises from it. */
export function SearchScene() {
  return (
    <div className={art.scene} aria-hidden="true">
      <div className={art.filters}>
        {filters.map((filter) => (
          <span key={filter}>{filter}</span>
        ))}
      </div>
      <div className={art.passed}>
        <ProductPicture of={passed.id} off={passed.off} />
        <p className={art.offer}>
          <span>{passed.title}</span>
          <s>{passed.before}</s> <b>{passed.now}</b>
        </p>
      </div>
      <div className={art.rim} />
      <ul className={art.refused}>
        {refused.map(({ name, fault }) => (
          <li key={name}>
            <span>{name}</span> <b>{fault}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}
