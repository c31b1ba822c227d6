export { Checkout as default } from '../../features/checkout/checkout'
