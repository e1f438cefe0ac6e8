import type { Books } from '../books.ts';
import type { Form } from '../form.ts';
import { listOf, mapOf, textOf } from '../form-values.ts';
import type { Replies } from '../replies.ts';
import { found, invalid, missing, Refusal, type Reply } from '../reply.ts';
import type { StandInRequest } from '../request.ts';
import { newSetup, type Setup, shownSetup } from '../setup.ts';
import { page } from './page.ts';

type SetupReply = Reply<Replies['retrieveSetupIntent']>;

export const setupEndpoints = {
  createSetupIntent(books: Books, { account, form }: StandInRequest): SetupReply {
    const customer = textOf(form, 'customer') ?? null;
    const own = books.of(account);
    if (customer !== null && !own.customers.has(customer)) {
      return missing('customer', customer, 'customer', 400);
    }
    const id = books.nextId('seti');
    const types = listOf(form, 'allowed_payment_method_types');
    const setup = newSetup({
      id,
      allowed_payment_method_types: [...types],
      client_secret: books.nextId(`${id}_secret`),
      created: books.now(),
      customer,
      livemode: books.livemode,
      metadata: mapOf(form, 'metadata'),
      payment_method_types: [...types],
      usage: textOf(form, 'usage') ?? 'off_session',
    });
    own.setups.set(id, setup);
    return shown(setup, form);
  },

  retrieveSetupIntent(books: Books, request: StandInRequest): SetupReply {
    return shown(setupOf(books, request), request.form);
  },

  cancelSetupIntent(books: Books, request: StandInRequest): SetupReply {
    const setup = setupOf(books, request);
    if (setup.status === 'succeeded' || setup.status === 'canceled') {
      const message = `This SetupIntent could not be canceled because it has a status of ${setup.status}.`;
      const code = 'setup_intent_unexpected_state';
      return invalid(message, { code, setup_intent: shownSetup(setup, false) });
    }
    const after: Setup = { ...setup, status: 'canceled' };
    books.of(request.account).setups.set(setup.id, after);
    return shown(after, request.form);
  },

  listSetupIntents(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['listSetupIntents']> {
    const { setups } = books.of(account);
    return page('/v1/setup_intents', [...setups.keys()], form, (id) => {
      const setup = setups.get(id);
      return setup && shownSetup(setup, false);
    });
  },
};

function setupOf(books: Books, { account, id }: StandInRequest): Setup {
  const setup = books.of(account).setups.get(id);
  if (setup === undefined) throw new Refusal(missing('setupintent', id, 'intent'));
  return setup;
}

function shown(setup: Setup, form: Form): SetupReply {
  return found(shownSetup(setup, listOf(form, 'expand').includes('latest_attempt')));
}
