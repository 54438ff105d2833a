import type { Choices } from '../chance/choices';
import type { Scheduler } from '../chance/scheduler';
import type { Tell } from '../chance/story';
import { createService, type ServiceSettings } from './service';
import type { Deliver } from './events';
import { createWebhookService } from './webhooks';

/** The service with one account, whose events it delivers. */
export function createAccount(
	{ scheduler, choices, tell }: { scheduler: Scheduler; choices: Choices; tell: Tell },
	settings: ServiceSettings,
	deliver: Deliver,
	firstBackoffMs?: number,
) {
	const now = () => scheduler.now() + settings.clockOffsetMs;
	const webhooks = createWebhookService(scheduler, choices, now, deliver, tell, firstBackoffMs);
	return { now, webhooks, service: createService(scheduler, choices, settings, webhooks) };
}
