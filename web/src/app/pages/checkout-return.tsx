export { CheckoutReturn as default } from '../../features/checkout/checkout-return'
