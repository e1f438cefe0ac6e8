import type { Books } from '../books.ts';
import type { Endpoints } from '../endpoint.ts';
import { shownMethod, takeMethod } from '../method.ts';
import { found, invalid, missing, refuse } from '../reply.ts';

export const methodEndpoints = {
  /** Shares a method of the platform with a connected account. The copy has no customer. */
  createPaymentMethod: {
    at: 'POST /v1/payment_methods',
    params: { customer: 'string', payment_method: 'string' },
    run(own, { params: { customer, payment_method: id } }) {
      if (id === undefined || own.account === undefined) {
        return invalid('The stand-in only shares methods with connected accounts.');
      }
      const shared = takeMethod(platformOf(own), id, customer);
      const copy = {
        ...shared,
        id: own.nextId('pm'),
        created: own.now(),
        customer: null,
        isUsed: false,
      };
      own.methods.set(copy.id, copy);
      return found(shownMethod(own, copy));
    },
  },

  retrievePaymentMethod: {
    at: 'GET /v1/payment_methods/{id}',
    params: {},
    run(own, { id }) {
      const method = own.methods.get(id) ?? refuse(missing('PaymentMethod', id, 'payment_method'));
      return found(shownMethod(own, method));
    },
  },
} satisfies Partial<Endpoints>;

const platformOf = (own: Books) => own.of(undefined);
