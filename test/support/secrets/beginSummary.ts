import { beginSummary } from './summary';

export default beginSummary;
