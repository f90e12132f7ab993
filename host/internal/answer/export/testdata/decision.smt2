; decision.smt2
; unsat: no two copies violate the notion; sat: they do
(set-option :produce-models true)
(set-logic QF_LIRA)
(declare-const |in.hours per week| Int)
(assert (<= (- 2) |in.hours per week| 3))
(declare-const in.age@1 Int)
(assert (or (= in.age@1 0) (= in.age@1 2)))
(define-fun y1.1@1 () Real (+ (to_real |in.hours per week|) (* (- 2.0) (+ (* (/ 1 2) (to_real in.age@1)) (- (/ 1 2)))) (- (/ 1 2))))
(declare-const n1.1@1 Real)
(assert (and (>= n1.1@1 0.0) (>= n1.1@1 y1.1@1) (or (<= n1.1@1 0.0) (<= n1.1@1 y1.1@1))))
(assert (<= n1.1@1 (/ 7881299347898383 2251799813685248)))
(define-fun y1.2@1 () Real (+ (* (/ 1 2) (to_real |in.hours per week|)) (* (/ 1 4) (+ (* (/ 1 2) (to_real in.age@1)) (- (/ 1 2)))) (/ 5902958103587057 590295810358705651712)))
(declare-const n1.2@1 Real)
(assert (and (>= n1.2@1 0.0) (>= n1.2@1 y1.2@1) (or (<= n1.2@1 0.0) (<= n1.2@1 y1.2@1))))
(assert (<= n1.2@1 (/ 7318394430473341 4503599627370496)))
(declare-const logit@1 Real)
(assert (= logit@1 (+ (* (/ 3 2) n1.1@1) (* (- (/ 3 4)) n1.2@1) (/ 1 8))))
(declare-const in.age@2 Int)
(assert (or (= in.age@2 0) (= in.age@2 2)))
(define-fun y1.1@2 () Real (+ (to_real |in.hours per week|) (* (- 2.0) (+ (* (/ 1 2) (to_real in.age@2)) (- (/ 1 2)))) (- (/ 1 2))))
(declare-const n1.1@2 Real)
(assert (and (>= n1.1@2 0.0) (>= n1.1@2 y1.1@2) (or (<= n1.1@2 0.0) (<= n1.1@2 y1.1@2))))
(assert (<= n1.1@2 (/ 7881299347898383 2251799813685248)))
(define-fun y1.2@2 () Real (+ (* (/ 1 2) (to_real |in.hours per week|)) (* (/ 1 4) (+ (* (/ 1 2) (to_real in.age@2)) (- (/ 1 2)))) (/ 5902958103587057 590295810358705651712)))
(declare-const n1.2@2 Real)
(assert (and (>= n1.2@2 0.0) (>= n1.2@2 y1.2@2) (or (<= n1.2@2 0.0) (<= n1.2@2 y1.2@2))))
(assert (<= n1.2@2 (/ 7318394430473341 4503599627370496)))
(declare-const logit@2 Real)
(assert (= logit@2 (+ (* (/ 3 2) n1.1@2) (* (- (/ 3 4)) n1.2@2) (/ 1 8))))
(assert (and (<= (- (/ 3588805953060877 1125899906842624)) (- logit@1 logit@2)) (<= (- logit@1 logit@2) (/ 3588805953060877 1125899906842624))))
(declare-const slack Real)
(assert (and (> logit@1 0.0) (<= logit@2 0.0)))
(check-sat)
(get-value (
  |in.hours per week|
  in.age@1
  logit@1
  in.age@2
  logit@2
  slack))
